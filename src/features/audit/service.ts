/*
 * The audit log: who changed what, and how. A line is written after the change and before the answer. If it cannot be
 * written, the change stays and the log of the server has the line instead.
 */
import type { AuditAbout, AuditTarget, AuditVia, CommandRule } from '../../core/access/audit-actions.ts';
import type { Principal } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { forbidden, invalidAt } from '../../core/errors.ts';
import { newId, type RandomBytes } from '../../core/ids/ids.ts';
import { readRowCursor, rowCursor } from '../../core/ids/row-cursor.ts';
import { defaultPageSize } from '../../core/limits.ts';
import type { AuditEntry, AuditPage, AuditQuery } from './model.ts';
import type { AuditPageOf, AuditRow, AuditStore, FoundActor, TargetsStore } from './store.ts';
import { createTell, type TellEntry } from './telling.ts';

export type AuditService = ReturnType<typeof createAuditService>;

/** Who did it: a person, perhaps through an app. */
export type Actor = Pick<Principal, 'accountId' | 'email' | 'teamId' | 'credential'>;

type Line = { teamId: string | null; actor: { id: string; email: string } | null; via: AuditVia } & {
  action: string;
  target: AuditTarget;
  about?: AuditAbout | undefined;
};

const exportPage = 1000;
/** Operations that programs repeat in batches: a line for the first, and again after this time. */
const repeated = new Set(['endpoint.attempts_reported', 'endpoint.events_imported']);
const repeatedMs = 600_000;
const maxRepeated = 10_000;

export function createAuditService(options: {
  store: AuditStore;
  targets: TargetsStore;
  clock: Clock;
  random: RandomBytes;
  onError: (error: unknown, fields: Record<string, unknown>) => void;
}) {
  const { store, targets, clock, random, onError } = options;
  const { tell } = createTell(targets);
  /** When each was written last (monotonic ms). */
  const written = new Map<string, number>();
  const isRepeated = (key: string): boolean => {
    const now = clock.monotonic();
    const lastMs = written.get(key);
    if (lastMs !== undefined && now - lastMs < repeatedMs) return true;
    if (written.size >= maxRepeated) written.clear();
    written.set(key, now);
    return false;
  };
  const endpointOf = ({ type, id }: AuditTarget): Promise<string | undefined> | string | undefined => {
    if (type === 'endpoint') return id;
    return type === 'event' ? store.endpointOfEvent(id) : undefined;
  };
  const write = async ({ teamId, actor, via, action, target, about }: Line): Promise<void> => {
    const at = clock.now();
    if (repeated.has(action) && isRepeated(`${action} ${target.id} ${actor?.id}`)) return;
    try {
      await store.insert({
        id: newId('aud', at, random),
        teamId,
        at,
        actorId: actor?.id ?? null,
        actorEmail: actor?.email ?? null,
        via,
        action,
        targetType: target.type,
        targetId: target.id,
        endpointId: about?.endpointId ?? (await endpointOf(target)) ?? null,
        details: about?.details ?? null,
      });
    } catch (error) {
      onError(error, { action, target, actor: actor?.id ?? null, via });
    }
  };

  const recordFound = async (
    finding: Promise<FoundActor | undefined>,
    line: Pick<Line, 'action' | 'via'> & { target?: AuditTarget },
  ): Promise<void> => {
    try {
      const found = await finding;
      const target = line.target ?? { type: 'app', id: found?.appId ?? '' };
      if (found) await write({ ...line, target, teamId: found.teamId, actor: { id: found.id, email: found.email } });
    } catch (error) {
      onError(error, line);
    }
  };
  const teamOfCommand = async (rule: CommandRule, args: Record<string, unknown>): Promise<string | undefined> =>
    rule.team && store.teamOf(rule.team.by, String(args[rule.team.argument]).trim());

  const toEntries = async (teamId: string, rows: readonly AuditRow[]): Promise<AuditEntry[]> => {
    const told = await tell(teamId, rows);
    return rows.flatMap((row, n) => (told[n] ? [toEntry(row, told[n])] : []));
  };

  const requireOwner = ({ role }: Pick<Principal, 'role'>): void => {
    if (role !== 'owner') throw forbidden('only an owner of the team may read the audit log');
  };

  return {
    /** The end of a job. Never throws. */
    recordJob: (line: Line): Promise<void> => write(line),

    /** An operation of a person or an app. Never throws. */
    record: (
      { accountId, email, teamId, credential }: Actor,
      action: string,
      target: AuditTarget,
      about?: AuditAbout,
    ): Promise<void> =>
      write({
        teamId,
        actor: { id: accountId, email },
        via: credential.kind === 'session' ? 'dashboard' : 'api',
        action,
        target,
        about,
      }),

    /** The endpoint of an event, to be asked before the event is deleted. Never throws. */
    async endpointOfEvent(id: string): Promise<string | undefined> {
      try {
        return await store.endpointOfEvent(id);
      } catch (error) {
        onError(error, { event: id });
        return undefined;
      }
    },

    /** An action of a person on a page outside of the API. Never throws. */
    recordOfAccount: (accountId: string, action: string, target: AuditTarget): Promise<void> =>
      recordFound(store.account(accountId), { action, target, via: 'dashboard' }),

    /** A change of an app's access to an account. Never throws. @param via dashboard: by the person; api: by the app */
    recordOfGrant: (grantId: string, action: string, via: AuditVia): Promise<void> =>
      recordFound(store.grant(grantId), { action, via }),

    /** The team that a command's arguments name, to be asked before the command deletes it. */
    teamOfCommand,

    /** A command's change to a thing of a team. Never throws. */
    recordOfCommand: (teamId: string, action: string, target: AuditTarget): Promise<void> =>
      write({ teamId, actor: null, via: 'command', action, target }),

    /** A command. Never throws. @param teamBefore from `teamOfCommand`, before the command */
    async recordCommand(
      rule: CommandRule,
      args: Record<string, unknown>,
      result: unknown,
      teamBefore: string | undefined,
    ): Promise<void> {
      const { action, type, id } = rule;
      const target = {
        type,
        id: 'fixed' in id ? id.fixed : String('argument' in id ? args[id.argument] : Object(result)[id.result]),
      };
      try {
        const teamId = teamBefore ?? (await teamOfCommand(rule, args)) ?? null;
        await write({ teamId, actor: null, via: 'command', action, target });
      } catch (error) {
        onError(error, { action, target });
      }
    },

    /** Sentences for entries, such as those about an endpoint. */
    tell,

    /** @throws forbidden for a member, invalid */
    async page(principal: Pick<Principal, 'teamId' | 'role'>, query: AuditQuery): Promise<AuditPage> {
      requireOwner(principal);
      const size = query.limit === undefined ? defaultPageSize : Number(query.limit);
      const rows = await store.page(principal.teamId, { ...readQuery(query), limit: size + 1 });
      const shown = rows.slice(0, size);
      const last = rows.length > size ? shown.at(-1) : undefined;
      return { entries: await toEntries(principal.teamId, shown), nextCursor: last ? rowCursor(last.seq) : null };
    },

    /** One line of JSON an entry, read page by page. @throws forbidden for a member, invalid */
    lines(principal: Pick<Principal, 'teamId' | 'role'>, query: AuditQuery): ReadableStream<Uint8Array> {
      requireOwner(principal);
      const { teamId } = principal;
      const asked = readQuery(query);
      let { before } = asked;
      let left = query.limit === undefined ? Number.POSITIVE_INFINITY : Number(query.limit);
      const encoder = new TextEncoder();
      return new ReadableStream({
        async pull(controller) {
          const limit = Math.min(exportPage, left);
          const rows = left > 0 ? await store.page(teamId, { ...asked, before, limit }) : [];
          const last = rows.at(-1);
          if (!last) return controller.close();
          before = last.seq;
          left -= rows.length;
          const entries = await toEntries(teamId, rows);
          controller.enqueue(encoder.encode(entries.map(entry => `${JSON.stringify(entry)}\n`).join('')));
        },
      });
    },
  };
}

/** @throws invalid */
function readQuery({ cursor, person, thing, from, to }: AuditQuery): Omit<AuditPageOf, 'limit'> {
  const [first, last] = [from === undefined ? undefined : Number(from), to === undefined ? undefined : Number(to)];
  if (first !== undefined && last !== undefined && first > last) throw invalidAt(['from'], 'must not be after to');
  return { before: readRowCursor(cursor), person, thing, from: first, to: last };
}

const toEntry = (row: AuditRow, { text, link, exists }: TellEntry): AuditEntry => ({
  id: row.id,
  at: row.at,
  actor: row.actorId === null ? null : { id: row.actorId, email: row.actorEmail ?? '' },
  via: row.via,
  action: row.action,
  target: { type: row.targetType, id: row.targetId },
  text,
  link: exists ? link : null,
});
