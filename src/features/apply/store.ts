/* Reads the endpoints to compare a file with, and applies it in one batch: all of it or nothing. */

import { and, count, eq, getTableColumns, inArray, isNotNull, isNull, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { Plan } from '../../core/access/principal.ts';
import type { AnswerRule, AnswerRules } from '../../core/answers/model.ts';
import { forwardQueue } from '../../core/forward.ts';
import type { Redaction } from '../../core/redaction/model.ts';
import type { Drizzle } from '../../db/database.ts';
import { accounts, answers, endpoints, pins, previousTokens, redactionRules, secrets, teams } from '../../db/schema.ts';
import { forwards, queues } from '../../db/schema-queues.ts';
import { isUniqueViolation } from '../../db/unique-violation.ts';
import type { ForwardSettings } from '../../shared/forwards.ts';

export type EndpointRow = typeof endpoints.$inferSelect;
export type NewEndpoint = typeof endpoints.$inferInsert & { id: string };
export type SecretRow = typeof secrets.$inferSelect;
export type ForwardRow = typeof forwards.$inferSelect;
export type SecretInput = Omit<SecretRow, 'endpoint'>;

/** `set`: columns. `answers`, `redaction`: null removes the rules. `confirmSecrets`, `removeSecrets`: ids. */
export type EndpointChange = {
  set: Partial<EndpointRow>;
  answers: AnswerRules | null | undefined;
  redaction: Redaction | null | undefined;
  addSecrets: SecretInput[];
  confirmSecrets: string[];
  removeSecrets: string[];
  forwards: ForwardWrites;
};

type Rules = Pick<EndpointChange, 'addSecrets' | 'answers' | 'redaction' | 'forwards'>;

/** `token`: a new token, and until when the old token accepts deliveries. */
export type Writes = {
  create: (Rules & { row: NewEndpoint })[];
  update: (EndpointChange & {
    id: string;
    seq: number;
    token: { urlId: string; to: string; until: number } | undefined;
  })[];
  remove: readonly { seq: number; id: string }[];
  /** Endpoints that are no longer declared, and are kept. */
  release: readonly number[];
  /** Addresses to take from endpoints that are deleted, each with a new random token. */
  claim: readonly { address: string; replacement: string }[];
};

export type ForwardColumns = Pick<typeof forwards.$inferSelect, Exclude<keyof ForwardSettings, 'where'> | 'filter'>;
/** `isElsewhere`: the URL changes. */
export type ForwardWrites = {
  add: readonly { id: string; columns: ForwardColumns & { secret: Buffer } }[];
  set: readonly { id: string; columns: ForwardColumns; isElsewhere: boolean }[];
  remove: readonly string[];
};

const kind = forwardQueue;

// Drizzle has the defaults of columns, but no type for a row of them.
const defaultRow = Object.fromEntries(
  Object.entries(getTableColumns(endpoints)).map(([name, column]) => [name, column.default ?? null]),
) as EndpointRow;

/** Raw: the table is SQLite's own. */
const lastSeq = sql`(SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0))` as unknown as number;

/** Forwards of a declared endpoint, with their queues. @param endpoint its row number, or a query for it */
function forwardStatements(
  db: Drizzle,
  endpoint: number,
  { add, set, remove }: ForwardWrites,
  now: number,
): Statement[] {
  const ofOwner = (owner: string) => and(eq(queues.kind, kind), eq(queues.owner, owner));
  const row = { endpoint, accountId: null, declared: true, since: lastSeq, position: lastSeq, createdAt: now };
  const teamId = sql<string>`(SELECT team_id FROM endpoints WHERE seq = ${endpoint})`;
  const pausedAt = (enabled: boolean): number | null => (enabled ? null : now);
  return [
    ...add.flatMap(({ id, columns }): Statement[] => [
      db.insert(queues).values({ kind, owner: id, teamId, pausedAt: pausedAt(columns.enabled) }),
      db.insert(forwards).values({ ...row, id, ...columns }),
    ]),
    ...set.flatMap(({ id, columns, isElsewhere }): Statement[] => [
      db
        .update(forwards)
        .set({
          ...columns,
          declared: true,
          ...(isElsewhere && { failures: 0, failingSince: null, probeAt: null }),
        })
        .where(eq(forwards.id, id)),
      db
        .update(queues)
        .set({ pausedAt: pausedAt(columns.enabled), nextAt: now })
        .where(ofOwner(id)),
    ]),
    ...(remove.length === 0
      ? []
      : [
          db.delete(forwards).where(inArray(forwards.id, [...remove])),
          db.delete(queues).where(and(eq(queues.kind, kind), inArray(queues.owner, [...remove]))),
        ]),
  ];
}

/** The rules get a new version, so that their sequences restart. @param rules null removes them; undefined leaves them */
function answersStatements(
  db: Drizzle,
  endpoint: SQL,
  rules: AnswerRules | null | undefined,
  now: number,
): Statement[] {
  if (rules === undefined) return [];
  const removal: Statement = db.delete(answers).where(eq(answers.endpoint, endpoint));
  if (rules === null) return [removal];
  const row = { endpoint: endpoint as unknown as number, rules: Buffer.from(JSON.stringify(rules.rules)) };
  return [removal, db.insert(answers).values({ ...row, createdAt: now })];
}

/** @param redaction null removes the rules; undefined leaves them */
function redactionStatements(
  db: Drizzle,
  endpoint: SQL,
  redaction: Redaction | null | undefined,
  now: number,
): Statement[] {
  if (redaction === undefined) return [];
  const removal: Statement = db.delete(redactionRules).where(eq(redactionRules.endpoint, endpoint));
  if (redaction === null) return [removal];
  const row = { endpoint: endpoint as unknown as number, redaction: Buffer.from(JSON.stringify(redaction)) };
  return [removal, db.insert(redactionRules).values({ ...row, createdAt: now })];
}

export type DeclaredStore = ReturnType<typeof createDeclaredStore>;

export function createDeclaredStore(db: Drizzle) {
  const isLive = isNull(endpoints.deletedAt);

  return {
    teamsOf: (emails: readonly string[]): Promise<{ email: string; teamId: string; plan: Plan }[]> =>
      db
        .select({ email: accounts.email, teamId: accounts.teamId, plan: teams.plan })
        .from(accounts)
        .innerJoin(teams, eq(teams.id, accounts.teamId))
        .where(inArray(accounts.email, [...emails])),

    /** The row of an endpoint that a file makes. It is not in the database yet. */
    newEndpoint: (row: Pick<EndpointRow, 'id' | 'teamId' | 'name' | 'token' | 'createdAt'>): EndpointRow => ({
      ...defaultRow,
      ...row,
      seq: 0,
      madeByFile: true,
    }),

    /** The live endpoints of these teams, and all that are declared; oldest first. */
    endpointsOf: (teamIds: readonly string[]): Promise<EndpointRow[]> =>
      db
        .select()
        .from(endpoints)
        .where(and(isLive, or(inArray(endpoints.teamId, [...teamIds]), isNotNull(endpoints.declaredName))))
        .orderBy(endpoints.seq),

    secretsOf: (seqs: readonly number[]): Promise<SecretRow[]> =>
      db
        .select()
        .from(secrets)
        .where(inArray(secrets.endpoint, [...seqs])),

    async answersOf(seqs: readonly number[]): Promise<Map<number, AnswerRules>> {
      const rows = await db
        .select({ endpoint: answers.endpoint, rules: answers.rules })
        .from(answers)
        .where(inArray(answers.endpoint, [...seqs]));
      return new Map(
        rows.map(row => [row.endpoint, { rules: JSON.parse(row.rules.toString('utf8')) as AnswerRule[] }]),
      );
    },

    async redactionsOf(seqs: readonly number[]): Promise<Map<number, Redaction>> {
      const { endpoint, redaction } = redactionRules;
      const rows = await db
        .select({ endpoint, redaction })
        .from(redactionRules)
        .where(inArray(endpoint, [...seqs]));
      return new Map(rows.map(row => [row.endpoint, JSON.parse(row.redaction.toString('utf8')) as Redaction]));
    },

    forwardsOf: (seqs: readonly number[]): Promise<ForwardRow[]> =>
      db
        .select()
        .from(forwards)
        .where(inArray(forwards.endpoint, [...seqs])),

    /** The row numbers of the live endpoints that take deliveries to these tokens. */
    async holdersOf(tokens: readonly string[], now: number): Promise<{ token: string; seq: number }[]> {
      const current = await db
        .select({ token: endpoints.token, seq: endpoints.seq })
        .from(endpoints)
        .where(and(isLive, inArray(endpoints.token, [...tokens])));
      const previous = await db
        .select({ token: previousTokens.token, seq: endpoints.seq })
        .from(previousTokens)
        .innerJoin(endpoints, eq(endpoints.seq, previousTokens.endpoint))
        .where(and(isLive, inArray(previousTokens.token, [...tokens]), sql`${previousTokens.until} > ${now}`));
      return [...current, ...previous];
    },

    pinned: (seqs: readonly number[]): Promise<{ endpoint: number; events: number }[]> =>
      db
        .select({ endpoint: pins.endpoint, events: count() })
        .from(pins)
        .where(inArray(pins.endpoint, [...seqs]))
        .groupBy(pins.endpoint),

    /** @returns false, with nothing changed, after a name or an address was taken concurrently */
    async write(writes: Writes, { now, withPinned }: { now: number; withPinned: boolean }): Promise<boolean> {
      const [first, ...rest] = writeStatements(db, writes, { now, withPinned });
      if (!first) return true;
      try {
        await db.batch([first, ...rest]);
        return true;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    },
  };
}

type Statement = Parameters<Drizzle['batch']>[0][number];

function writeStatements(
  db: Drizzle,
  { create, update, remove, release, claim }: Writes,
  { now, withPinned }: { now: number; withPinned: boolean },
): Statement[] {
  const seqOf = (id: string) => sql`(SELECT seq FROM endpoints WHERE id = ${id})`;
  const insertSecretsStatements = (id: string, rows: readonly SecretInput[]): Statement[] =>
    rows.map(row => db.insert(secrets).values({ ...row, endpoint: seqOf(id) as unknown as number }));
  const isPinned = db.select({ one: sql`1` }).from(pins).where(eq(pins.endpoint, endpoints.seq));

  const removals = remove.map(
    ({ seq }): Statement =>
      db
        .update(endpoints)
        .set({ deletedAt: now })
        .where(and(eq(endpoints.seq, seq), isNull(endpoints.deletedAt), withPinned ? undefined : notExists(isPinned))),
  );
  const releases: Statement[] = release.map(seq =>
    db
      .update(endpoints)
      .set({ declaredName: null, declaredFields: [], madeByFile: false })
      .where(eq(endpoints.seq, seq)),
  );
  const claims = claim.flatMap(({ address, replacement }): Statement[] => [
    db
      .update(endpoints)
      .set({ token: replacement })
      .where(and(eq(endpoints.token, address), isNotNull(endpoints.deletedAt))),
    // Tokens that still accept deliveries for another endpoint were refused before.
    db.delete(previousTokens).where(eq(previousTokens.token, address)),
  ]);
  const rulesStatements = (id: string, { answers: rules, redaction, addSecrets }: Rules) => [
    ...insertSecretsStatements(id, addSecrets),
    ...answersStatements(db, seqOf(id), rules, now),
    ...redactionStatements(db, seqOf(id), redaction, now),
  ];
  const updates = update.flatMap(({ id, seq, set, token, confirmSecrets, removeSecrets, ...change }): Statement[] => [
    ...(token
      ? [
          // Raw: the old token comes from the endpoint (INSERT … SELECT). Numbers are bound as REAL.
          db.run(sql`INSERT INTO previous_tokens (id, endpoint, token, replaced_at, until)
            SELECT ${token.urlId}, seq, token, CAST(${now} AS INTEGER), CAST(${token.until} AS INTEGER) FROM endpoints
            WHERE id = ${id}`),
        ]
      : []),
    ...(token || Object.keys(set).length > 0
      ? [
          db
            .update(endpoints)
            .set({ ...set, ...(token && { token: token.to }) })
            .where(and(eq(endpoints.seq, seq), isNull(endpoints.deletedAt))),
        ]
      : []),
    ...(removeSecrets.length > 0
      ? [db.delete(secrets).where(and(eq(secrets.endpoint, seq), inArray(secrets.id, [...removeSecrets])))]
      : []),
    ...(confirmSecrets.length > 0
      ? [
          db
            .update(secrets)
            .set({ confirmed: true, declared: true })
            .where(inArray(secrets.id, [...confirmSecrets])),
        ]
      : []),
    ...rulesStatements(id, change),
    ...forwardStatements(db, seq, change.forwards, now),
  ]);
  const creations = create.flatMap(({ row, ...change }): Statement[] => [
    db.insert(endpoints).values(row),
    ...rulesStatements(row.id, change),
    ...forwardStatements(db, seqOf(row.id) as unknown as number, change.forwards, now),
  ]);
  return [...removals, ...releases, ...claims, ...updates, ...creations];
}
