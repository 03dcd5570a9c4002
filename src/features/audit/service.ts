/*
 * The audit log: who changed what, and how. A line is written after the change and before the answer. If it cannot be
 * written, the change stays and the log of the server has the line instead.
 */
import type { AuditAbout, AuditTarget, AuditVia, CommandRule } from '../../core/access/audit-actions.ts';
import type { Principal } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { forbidden } from '../../core/errors.ts';
import { newId, type RandomBytes } from '../../core/ids/ids.ts';
import { readRowCursor, rowCursor } from '../../core/ids/row-cursor.ts';
import { defaultPageSize } from '../../core/limits.ts';
import type { AuditEntry, AuditPage, AuditQuery } from './model.ts';
import type { AuditRow, AuditStore, FoundActor } from './store.ts';

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

export function createAuditService({
  store,
  clock,
  random,
  onError,
}: {
  store: AuditStore;
  clock: Clock;
  random: RandomBytes;
  onError: (error: unknown, fields: Record<string, unknown>) => void;
}) {
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
        endpointId: about?.endpointId ?? (target.type === 'endpoint' ? target.id : null),
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

  const requireOwner = ({ role }: Pick<Principal, 'role'>): void => {
    if (role !== 'owner') throw forbidden('only an owner of the team may read the audit log');
  };

  return {
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

    /** @throws forbidden for a member, invalid */
    async page(principal: Pick<Principal, 'teamId' | 'role'>, { cursor, limit }: AuditQuery): Promise<AuditPage> {
      requireOwner(principal);
      const size = limit === undefined ? defaultPageSize : Number(limit);
      const rows = await store.page(principal.teamId, readRowCursor(cursor), size + 1);
      const shown = rows.slice(0, size);
      const last = rows.length > size ? shown.at(-1) : undefined;
      return { entries: shown.map(toEntry), nextCursor: last ? rowCursor(last.seq) : null };
    },

    /** One line of JSON an entry, read page by page. @throws forbidden for a member, invalid */
    lines(principal: Pick<Principal, 'teamId' | 'role'>, { cursor, limit }: AuditQuery): ReadableStream<Uint8Array> {
      requireOwner(principal);
      let before = readRowCursor(cursor);
      let left = limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
      const encoder = new TextEncoder();
      return new ReadableStream({
        async pull(controller) {
          const rows = left > 0 ? await store.page(principal.teamId, before, Math.min(exportPage, left)) : [];
          const last = rows.at(-1);
          if (!last) return controller.close();
          before = last.seq;
          left -= rows.length;
          controller.enqueue(encoder.encode(rows.map(row => `${JSON.stringify(toEntry(row))}\n`).join('')));
        },
      });
    },
  };
}

const toEntry = ({ id, at, actorId, actorEmail, via, action, targetType, targetId }: AuditRow): AuditEntry => ({
  id,
  at,
  actor: actorId === null ? null : { id: actorId, email: actorEmail ?? '' },
  via,
  action,
  target: { type: targetType, id: targetId },
});
