/*
 * What changed about an endpoint: entries of the audit log, and changes of the schemas of its events, as sentences. They name what
 * changed and never contain a secret or a value.
 */
import type { TeamAccess } from '../../core/access/principal.ts';
import { invalidAt } from '../../core/errors.ts';
import { decodeCursor, encodeCursor } from '../../core/ids/cursor.ts';
import type { TellEntry } from '../audit/telling.ts';
import { type Change, type ChangePage, type ChangesQuery, defaultChanges } from './model.ts';
import type { AuditEntryRow, ChangesStore, SchemaChangeRow } from './store.ts';

export type ChangesService = ReturnType<typeof createChangesService>;

/** `key`: the order among changes of the same time, from both sources. */
type Found = { at: number; key: number } & ({ entry: AuditEntryRow } | { schema: SchemaChangeRow });

export function createChangesService(options: {
  store: ChangesStore;
  /** @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<{ seq: number; id: string }>;
  /** Waits a moment until the schemas of the events that have just arrived are known. */
  catchUp: () => Promise<void>;
  /** The actions of the audit log that change an endpoint. */
  actions: readonly string[];
  /** Makes a sentence of each entry. */
  tell: (teamId: string, entries: readonly AuditEntryRow[]) => Promise<TellEntry[]>;
}) {
  const { store, endpoint, catchUp, actions, tell } = options;

  const toChanges = async (teamId: string, endpointId: string, found: readonly Found[]): Promise<Change[]> => {
    const base = `/app/endpoints/${endpointId}`;
    const entries = found.flatMap(one => ('entry' in one ? [one.entry] : []));
    const told = new Map((await tell(teamId, entries)).map((one, n) => [entries[n], one]));
    return found.map(one => {
      if ('schema' in one) return { at: one.at, by: null, ...changeOfSchema(base, one.schema) };
      const { kind = 'settings', text = one.entry.action, link = null } = told.get(one.entry) ?? {};
      return { at: one.at, kind, text, by: one.entry.actorEmail, link: link ?? base };
    });
  };

  return {
    /** Newest first. @throws not_found, invalid */
    async page(principal: TeamAccess, id: string, query: ChangesQuery): Promise<ChangePage> {
      const { seq } = await endpoint(principal, id);
      const [from, to] = [Number(query.from ?? 0), Number(query.to ?? Number.MAX_SAFE_INTEGER)];
      if (from > to) throw invalidAt(['from'], 'must not be after to');
      const size = Number(query.limit ?? defaultChanges);
      const last = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
      if (query.cursor !== undefined && !last) throw invalidAt(['cursor'], 'invalid', 'invalid cursor');
      /** Changes of a source after the cursor. Row numbers become even keys in one source, and odd keys in the other. */
      const pageOf = (source: 0 | 1) => ({
        from,
        to,
        before: last && { at: last.receivedAt, seq: Math.ceil((last.seq - source) / 2) },
        limit: size + 1,
      });
      await catchUp();
      const [entries, schemas] = await Promise.all([
        store.entries({ teamId: principal.teamId, endpointId: id, actions }, pageOf(0)),
        store.schemaChanges(seq, pageOf(1)),
      ]);
      const found: Found[] = [
        ...entries.map(entry => ({ at: entry.at, key: entry.seq * 2, entry })),
        ...schemas.map(schema => ({ at: schema.at, key: schema.seq * 2 + 1, schema })),
      ].sort((a, b) => b.at - a.at || b.key - a.key);
      const shown = found.slice(0, size);
      const end = found.length > size ? shown.at(-1) : undefined;
      return {
        changes: await toChanges(principal.teamId, id, shown),
        nextCursor: end ? encodeCursor({ receivedAt: end.at, seq: end.key }) : null,
      };
    },
  };
}

/** Types and paths come from senders. @param base the path of the endpoint's page */
function changeOfSchema(base: string, { type, kind, path }: SchemaChangeRow): Pick<Change, 'kind' | 'text' | 'link'> {
  const field = path.length === 0 ? 'the body' : `“${Buffer.from(path).toString()}”`;
  const events = type === '' ? 'events without a type' : `events of type “${type}”`;
  const text = {
    new: `New in ${events}: ${field}`,
    vanished: `No longer in ${events}: ${field}`,
    type: `Another kind of value in ${events}: ${field}`,
  }[kind];
  const query = `type=${encodeURIComponent(type.toWellFormed())}`;
  return { kind: 'schema', text, link: `${base}/schemas?${query}` };
}
