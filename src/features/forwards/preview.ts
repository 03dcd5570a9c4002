/* What a forward would send for stored events. It sends and changes nothing. */
import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import type { ContentReads } from '../../core/concurrency/content-reads.ts';
import { latin1 } from '../../core/encoding/buffer.ts';
import { invalid } from '../../core/errors.ts';
import { type ListEvents, newestEvents, type ReadContents } from '../../core/events/newest-events.ts';
import { readRequest } from '../../core/forward.ts';
import { renderRequest } from '../../core/forward-request.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { seqOf } from '../../core/ids/ids.ts';
import { parseWhere } from '../../core/where.ts';
import type { EventSummary } from '../events/model.ts';
import type { ForwardPreview, ForwardPreviewRequest } from './model.ts';

type Content = { seq: number; query: Buffer | null; headers: HeaderPair[]; body: Uint8Array };

const defaultPreviewed = 5;
/** All bodies of one preview together. */
const maxPreviewBytes = 8 << 20;

export type PreviewRequest = ReturnType<typeof createRequestPreview>;

export function createRequestPreview(options: {
  /** @throws not_found, invalid */
  list: ListEvents<EventSummary>;
  contents: ReadContents<Content>;
  contentReads: ContentReads;
  aboutEvent: (team: TeamAccess, endpointId: string, id: string) => Promise<{ endpoint: string; link: string }>;
  clock: Pick<Clock, 'now' | 'monotonic'>;
}) {
  const { contents, contentReads, aboutEvent, clock } = options;

  /** @param signal aborted when the client disconnects @throws invalid, not_found; as `ContentReads.run` */
  return async (
    principal: MemberAccess,
    endpointId: string,
    { request: given, where, limit = defaultPreviewed }: ForwardPreviewRequest,
    signal?: AbortSignal,
  ): Promise<ForwardPreview> => {
    const request = readRequest(given);
    const filter = where?.trim() ?? '';
    parseWhere(filter);
    const reader = { ...principal, signal };
    // Refused events are not forwarded.
    const taken = filter === '' ? 'NOT is:refused' : `(${filter}) NOT is:refused`;
    const events = await newestEvents(options, reader, endpointId, { where: taken, limit });
    const bySeq = new Map(events.map(event => [seqOf(event), event]));
    const sized = [...bySeq].map(([seq, { size }]) => ({ seq, size })).sort((a, b) => a.seq - b.seq);
    const previews = new Map<string, ForwardPreview['events'][number]>();
    let left = maxPreviewBytes;
    await contentReads.run(reader, async read => {
      for await (const { seq, query, headers, body: captured } of contents(principal, endpointId, sized, read)) {
        const event = bySeq.get(seq);
        if (!event) continue;
        const { id, eventType: type, platform, receivedAt, verdict } = event;
        const { body, problem } = renderRequest(
          request,
          {
            type,
            platform,
            receivedAt,
            verdict: () => verdict ?? 'unchecked',
            headers,
            query: query && latin1(query),
            body: captured,
          },
          { id, at: clock.now(), ...(await aboutEvent(principal, endpointId, id)) },
        );
        left -= body.length;
        if (left < 0) throw invalid('these bodies are too large to be shown together: preview fewer events');
        previews.set(id, { event, body: body.toString(), problem });
      }
    });
    return { events: events.flatMap(({ id }) => previews.get(id) ?? []) };
  };
}
