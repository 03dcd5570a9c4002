/* What rules would take out of stored events. Nothing is changed. */
import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import type { ContentRead, ContentReads } from '../../core/concurrency/content-reads.ts';
import { latin1 } from '../../core/encoding/buffer.ts';
import { type ListEvents, newestEvents } from '../../core/events/newest-events.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { parseEventId } from '../../core/ids/ids.ts';
import { compileRedaction } from '../../core/redaction/redact.ts';
import { readRedaction } from '../../core/redaction/schema.ts';
import { parseWhere } from '../../core/where.ts';
import type { EventSummary } from '../events/model.ts';
import { defaultPreviewedEvents, type RedactionPreview, type RedactionPreviewRequest } from './model.ts';

type Content = {
  seq: number;
  path: Buffer;
  query: Buffer | null;
  headers: HeaderPair[];
  body: Uint8Array;
  sourceIp: string;
};

export type PreviewRedaction = ReturnType<typeof createRedactionPreview>;

export function createRedactionPreview(options: {
  /** @throws not_found, invalid */
  list: ListEvents<EventSummary>;
  /** Events with content; damaged and removed events are left out. */
  contents: (
    principal: TeamAccess,
    endpointId: string,
    events: readonly { seq: number; size: number }[],
    read: ContentRead,
  ) => AsyncIterable<Content>;
  contentReads: ContentReads;
  keyOf: (teamId: string) => Uint8Array;
  clock: Pick<Clock, 'monotonic'>;
}) {
  const { contents, contentReads, keyOf } = options;

  /** @param signal aborted when the client disconnects @throws invalid, not_found; as `ContentReads.run` */
  return async (
    principal: MemberAccess,
    endpointId: string,
    { where, limit = defaultPreviewedEvents, ...given }: RedactionPreviewRequest,
    signal?: AbortSignal,
  ): Promise<RedactionPreview> => {
    const redact = compileRedaction(readRedaction(given), keyOf(principal.teamId), { isStored: true });
    const filter = where?.trim() ?? '';
    parseWhere(filter);
    const reader = { ...principal, signal };
    const events = await newestEvents(options, reader, endpointId, { where: filter, limit });
    const bySeq = new Map(events.map(event => [parseEventId(event.id)?.seq ?? 0, event]));
    const sized = [...bySeq].map(([seq, { size }]) => ({ seq, size })).sort((a, b) => a.seq - b.seq);
    const previews = new Map<string, RedactionPreview['events'][number]>();
    await contentReads.run(reader, async read => {
      for await (const { seq, path, query, headers, body, sourceIp } of contents(principal, endpointId, sized, read)) {
        const event = bySeq.get(seq);
        if (!event) continue;
        const changes: RedactionPreview['events'][number]['changes'] = [];
        redact({ path: latin1(path), query: query && latin1(query), headers, body, sourceIp }, change =>
          changes.push(change),
        );
        previews.set(event.id, { event, changes });
      }
    });
    return { events: events.flatMap(({ id }) => previews.get(id) ?? []) };
  };
}
