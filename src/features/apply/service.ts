/*
 * Applies a file of endpoints: checks it as a whole, compares it with the existing endpoints, and writes the difference in one batch.
 * Endpoints are found by team and by the name under which a file declared them, else by their name. People may change fields that are
 * in the file, and the next apply sets them again; other fields are left alone.
 */

import type { Plan } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { conflict } from '../../core/errors.ts';
import type { FieldProblem } from '../../core/field-problems.ts';
import { newId, newIngestToken, type RandomBytes } from '../../core/ids/ids.ts';
import type { Declaration } from './document.ts';
import type { ApplyRequest, ApplyResult, Changed } from './model.ts';
import {
  type Current,
  type CurrentForward,
  type Difference,
  differenceOf,
  managedFields,
  type PlanTools,
} from './plan.ts';
import type { DeclaredStore, EndpointRow, ForwardRow, SecretRow, Writes } from './store.ts';

const maxAttempts = 5;

export type DeclaredService = ReturnType<typeof createDeclaredService>;

export function createDeclaredService(options: {
  store: DeclaredStore;
  tools: PlanTools;
  clock: Clock;
  random: RandomBytes;
  /** Whether the operator allows fixed addresses. */
  takesAddresses: boolean;
  /** Endpoints that each plan allows, 0 = no limit. */
  limits: Record<Plan, number>;
  maxSecrets: number;
  urlOf: (token: string) => string;
  openGuard: (row: EndpointRow) => Current['guard'];
  openSecret: (row: SecretRow) => string | undefined;
  openForward: (row: ForwardRow) => CurrentForward;
  /** Why nothing may be forwarded to a URL; undefined if it is allowed, or if its name cannot be resolved now. */
  refusalToForward: (url: string) => Promise<string | undefined>;
  /** Called after changes, with the tokens of new and changed endpoints, the ids of removed ones, and all of them for the audit log. */
  onApplied: (applied: {
    tokens: string[];
    removed: string[];
    isRetentionChanged: boolean;
    /** Ids of forwards that are new, changed or removed. */
    forwards: string[];
    lines: { action: 'created' | 'changed' | 'deleted'; id: string; teamId: string }[];
  }) => Promise<void>;
}) {
  const { store, tools, clock, random, takesAddresses, limits, maxSecrets, urlOf } = options;
  const applies = createSemaphore(1);

  const newCurrent = (declared: Declaration, teamId: string): Current => {
    const createdAt = clock.now();
    const token = declared.address ?? newIngestToken(random);
    const id = newId('ep', createdAt, random);
    const row = store.newEndpoint({ id, teamId, name: declared.name, token, createdAt });
    return { row, guard: null, answers: null, redaction: null, forwards: [], secrets: [] };
  };

  /** Finds the endpoint of each element of the file. */
  const match = async (
    declared: readonly Declaration[],
    problems: FieldProblem[],
  ): Promise<{ matched: Matched[]; existing: EndpointRow[] }> => {
    const teams = await store.teamsOf([...new Set(declared.map(({ account }) => account))]);
    const teamOf = new Map(teams.map(team => [team.email, team]));
    const existing = await store.endpointsOf([...new Set(teams.map(({ teamId }) => teamId))]);
    const found = findIn(existing);
    const seen = new Set<string>();
    const pairs = declared.flatMap(one => {
      const team = teamOf.get(one.account);
      const report = (field: string, message: string): [] => {
        problems.push({ path: [...one.path, field], message });
        return [];
      };
      if (!team) return report('account', `there is no account ${one.account}`);
      const key = JSON.stringify([team.teamId, one.name]);
      if (seen.has(key)) return report('name', 'another endpoint of this account in the file has this name');
      seen.add(key);
      const rows = found(team.teamId, one.name);
      if (rows.length > 1)
        return report('name', `${one.account} has ${rows.length} endpoints of this name: rename the others first`);
      return [{ declared: one, teamId: team.teamId, plan: team.plan, row: rows[0] }];
    });
    const rows = pairs.flatMap(({ row }) => row ?? []);
    const currentOf = await readCurrent(rows);
    const matched = pairs.map(({ declared: one, teamId, plan, row }) => ({
      declared: one,
      plan,
      isNew: !row,
      current: row ? currentOf(row) : newCurrent(one, teamId),
    }));
    return { matched, existing };
  };

  const readCurrent = async (rows: readonly EndpointRow[]): Promise<(row: EndpointRow) => Current> => {
    const seqs = rows.map(({ seq }) => seq);
    const secrets = Map.groupBy(await store.secretsOf(seqs), ({ endpoint }) => endpoint);
    const answers = await store.answersOf(seqs);
    const redactions = await store.redactionsOf(seqs);
    const forwards = Map.groupBy(await store.forwardsOf(seqs), ({ endpoint }) => endpoint);
    return row => ({
      row,
      guard: options.openGuard(row),
      answers: answers.get(row.seq) ?? null,
      redaction: redactions.get(row.seq) ?? null,
      forwards: (forwards.get(row.seq) ?? []).map(options.openForward),
      secrets: (secrets.get(row.seq) ?? []).flatMap(secret => {
        const text = secret.test ? undefined : options.openSecret(secret);
        return text === undefined ? [] : [{ ...secret, secret: text }];
      }),
    });
  };

  const checkAddresses = async (matched: readonly Matched[], gone: ReadonlySet<number>, problems: FieldProblem[]) => {
    const wanted = matched.filter(({ declared }) => declared.address !== undefined);
    const holders = await store.holdersOf(
      wanted.map(({ declared }) => declared.address ?? ''),
      clock.now(),
    );
    const seen = new Set<string>();
    for (const { declared, current } of wanted) {
      const { address = '' } = declared;
      const path = [...declared.path, 'address'];
      if (seen.has(address)) problems.push({ path, message: 'another endpoint in the file has this address' });
      else if (holders.some(({ token, seq }) => token === address && seq !== current.row.seq && !gone.has(seq)))
        problems.push({ path, message: 'another endpoint has this address' });
      seen.add(address);
    }
  };

  /** Skips URLs that the endpoint already forwards to: after a restart, their names may resolve to another address. */
  const checkForwards = async (
    declared: readonly Declaration[],
    matched: readonly Matched[],
    problems: FieldProblem[],
  ): Promise<void> => {
    const currentOf = new Map(matched.map(one => [one.declared, one.current.forwards]));
    const isNew = (one: Declaration, url: string) => !currentOf.get(one)?.some(forward => forward.url === url);
    const checked = declared.flatMap(one =>
      (one.forwards ?? []).map(async ({ url }, index) => ({
        path: [...one.path, 'forwards', index, 'url'],
        message: isNew(one, url) ? await options.refusalToForward(url) : undefined,
      })),
    );
    for (const { path, message } of await Promise.all(checked))
      if (message !== undefined) problems.push({ path, message });
  };

  const checkLimits = (matched: readonly Matched[], existing: readonly EndpointRow[], gone: ReadonlySet<number>) => {
    const problems: FieldProblem[] = [];
    const counts = new Map<string, number>();
    for (const { teamId, seq } of existing) if (!gone.has(seq)) counts.set(teamId, (counts.get(teamId) ?? 0) + 1);
    for (const { declared, current, plan } of matched.filter(({ isNew }) => isNew)) {
      const count = (counts.get(current.row.teamId) ?? 0) + 1;
      counts.set(current.row.teamId, count);
      if (limits[plan] > 0 && count > limits[plan])
        problems.push({ path: declared.path, message: `the ${plan} plan allows ${counted(limits[plan], 'endpoint')}` });
    }
    return problems;
  };

  const checkSecrets = ({ declared, current }: Matched, difference: Difference, problems: FieldProblem[]): void => {
    const confirmed = current.secrets.filter(one => one.confirmed).length;
    const { addSecrets, confirmSecrets, removeSecrets } = difference;
    if (
      addSecrets.length + confirmSecrets.length > 0 &&
      confirmed + addSecrets.length + confirmSecrets.length - removeSecrets.length > maxSecrets
    )
      problems.push({
        path: [...declared.path, 'secrets'],
        message: `an endpoint has at most ${maxSecrets} confirmed secrets`,
      });
  };

  /** @returns undefined after a concurrent change, so that the plan must be made again */
  const attempt = async ({ document, dryRun, prune, force }: ApplyRequest): Promise<ApplyResult | undefined> => {
    // Loaded here, because the schema library would slow down a start without a file.
    const { readDocument } = await import('./document.ts');
    const { endpoints: declared, problems } = readDocument(document, takesAddresses);
    const { matched, existing } = await match(declared, problems);
    const kept = new Set(matched.map(({ current }) => current.row.seq));
    const left = prune ? existing.filter(({ seq, declaredName }) => declaredName !== null && !kept.has(seq)) : [];
    const doomed = left.filter(({ madeByFile }) => madeByFile);
    const gone = new Set(doomed.map(({ seq }) => seq));
    await checkAddresses(matched, gone, problems);
    await checkForwards(declared, matched, problems);
    problems.push(...checkLimits(matched, existing, gone));
    const compared = matched.map(one => {
      const difference = differenceOf(one.declared, one.current, {
        plan: one.plan,
        tools,
        report: problem => problems.push(problem),
      });
      checkSecrets(one, difference, problems);
      return { ...one, difference, ...describe(one, difference) };
    });
    if (problems.length > 0) return { problems };
    if (!force) {
      const pinned = new Map((await store.pinned([...gone])).map(({ endpoint, events }) => [endpoint, events]));
      const held = doomed.filter(({ seq }) => pinned.has(seq));
      if (held.length > 0)
        return { pinned: held.map(({ name, seq }) => `${name} (${counted(pinned.get(seq) ?? 0, 'pinned event')})`) };
    }
    const changed = compared.filter(({ isNew, change }) => !isNew && change.fields.length > 0);
    const result = {
      created: compared.filter(({ isNew }) => isNew).map(({ change }) => change),
      changed: changed.map(({ change }) => change),
      removed: doomed.map(({ name }) => ({ name })),
      unchanged: compared.filter(({ isNew, change }) => !isNew && change.fields.length === 0).length,
    };
    if (dryRun) return result;
    const writes = writesOf(compared, { random, now: clock.now() });
    const release = left.filter(({ madeByFile }) => !madeByFile).map(({ seq }) => seq);
    if (!(await store.write({ ...writes, remove: doomed, release }, { now: clock.now(), withPinned: force })))
      return undefined;
    await options.onApplied({
      tokens: [...compared.filter(({ isNew }) => isNew), ...changed].map(({ token }) => token),
      removed: doomed.map(({ id }) => id),
      forwards: forwardsOf(compared),
      isRetentionChanged: changed.some(({ change }) => change.fields.includes('retention')),
      lines: [
        ...compared.filter(({ isNew }) => isNew).map(({ current: { row } }) => line('created', row)),
        ...changed.map(({ current: { row } }) => line('changed', row)),
        ...doomed.map(row => line('deleted', row)),
      ],
    });
    return result;
  };

  const describe = (
    { declared, current, isNew }: Matched,
    difference: Difference,
  ): { change: Changed; token: string } => {
    const token = declared.address ?? current.row.token;
    const fields = [...difference.fields, ...(token === current.row.token ? [] : ['address'])];
    const own = managedFields.filter(field => declared[field] !== undefined);
    const { name, account } = declared;
    return { token, change: { name, account, url: urlOf(token), fields: isNew ? own : fields } };
  };

  return {
    /** @throws conflict if other requests keep changing the same endpoints */
    apply: (request: ApplyRequest): Promise<ApplyResult> =>
      applies.run('', async () => {
        for (let left = maxAttempts; left > 0; left--) {
          const result = await attempt(request);
          if (result) return result;
        }
        throw conflict('the endpoints are being changed by someone else: try again');
      }),
  };
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** The endpoints that a file declared under this name; else the endpoints of this name that no file declared. */
function findIn(existing: readonly EndpointRow[]): (teamId: string, name: string) => EndpointRow[] {
  const keyOf = (teamId: string, name: string): string => JSON.stringify([teamId, name]);
  const byDeclared = Map.groupBy(existing, row => keyOf(row.teamId, row.declaredName ?? ''));
  const byName = Map.groupBy(
    existing.filter(({ declaredName }) => declaredName === null),
    row => keyOf(row.teamId, row.name),
  );
  return (teamId, name) => byDeclared.get(keyOf(teamId, name)) ?? byName.get(keyOf(teamId, name)) ?? [];
}

const line = <Action extends string>(action: Action, { id, teamId }: Pick<EndpointRow, 'id' | 'teamId'>) => ({
  action,
  id,
  teamId,
});

/** How long the former URL of an endpoint with a new address takes deliveries. */
const overlapMs = 24 * 60 * 60 * 1000;

export type Matched = { declared: Declaration; current: Current; isNew: boolean; plan: Plan };

export function writesOf(
  compared: readonly (Matched & { difference: Difference; token: string })[],
  { random, now }: { random: RandomBytes; now: number },
): Pick<Writes, 'create' | 'update' | 'claim'> {
  const claim = compared.flatMap(({ declared: { address }, current: { row }, isNew }) =>
    address !== undefined && (isNew || row.token !== address) ? [{ address, replacement: newIngestToken(random) }] : [],
  );
  const create = compared
    .filter(({ isNew }) => isNew)
    .map(({ current: { row }, difference }) => {
      const { seq: _, ...columns } = row;
      return { ...difference, row: { ...columns, ...difference.set } };
    });
  const update = compared
    .filter(({ isNew }) => !isNew)
    .map(({ current: { row }, difference, token }) => ({
      id: row.id,
      seq: row.seq,
      ...difference,
      token: token === row.token ? undefined : { urlId: newId('url', now, random), to: token, until: now + overlapMs },
    }))
    .filter(one => one.token || Object.keys(one.set).length > 0 || one.fields.length > 0);
  return { create, update, claim };
}

/** The ids of forwards that are new, changed or removed. */
export const forwardsOf = (compared: readonly { difference: Difference }[]): string[] =>
  compared.flatMap(({ difference: { forwards } }) => [
    ...[...forwards.add, ...forwards.set].map(({ id }) => id),
    ...forwards.remove,
  ]);
