/* Which events of a page wake the agent: the rule of MCP Events and forwards, with the other attempts from the API. */
import { createFirstAttempts } from '../../core/events/first-attempts.ts';
import { encodeFeedCursor } from '../../core/ids/feed-cursor.ts';
import { parseEventId } from '../../core/ids/ids.ts';
import type { Delivery } from '../../features/deliveries/model.ts';
import type { EventSummary } from '../../features/events/model.ts';
import type { FeedEvent } from '../../features/feed/model.ts';
import { createWakingTest } from '../../shared/filter/waking.ts';
import { type Api, whenRefused } from '../client/api.ts';
import { askServer } from '../listen/matching.ts';
import type { ChannelOptions } from './options.ts';

const seqOf = ({ id }: { id: string }): number => parseEventId(id)?.seq ?? 0;

/** @param since attempts up to this row number arrived before the channel was created, so they do not count */
export function createWaking({
  api,
  endpointId,
  signal,
  since,
  options: { filter, where, per },
}: {
  api: Api;
  endpointId: string;
  signal: AbortSignal;
  since: number;
  options: ChannelOptions;
}) {
  const wakes = createWakingTest(filter);
  const ask = askServer(api, endpointId, signal);

  const readAttempts = async (key: string): Promise<EventSummary[]> => {
    const path = `/api/deliveries/${encodeURIComponent(key)}`;
    const asked = api.call<Delivery>('GET', path, { query: { endpointId }, signal });
    return asked.then(({ attempts }) => attempts).catch(whenRefused(404, () => []));
  };
  const matches = async ({ id }: EventSummary): Promise<boolean> => {
    if (where === undefined) return true;
    const seq = seqOf({ id });
    const range = { after: encodeFeedCursor(endpointId, seq - 1), until: encodeFeedCursor(endpointId, seq) };
    return (await ask(where, range, [id])).has(id);
  };

  return async (events: readonly FeedEvent[]): Promise<FeedEvent[]> => {
    const waking = events.filter(wakes).map(event => ({ event, seq: seqOf(event) }));
    if (per === 'event') return waking.map(({ event }) => event);
    const attempts = new Map<number, EventSummary>();
    const first = createFirstAttempts<{ endpoint: number; since: number }, (typeof waking)[number]>({
      async groupsOf(_, asked) {
        const groups = new Map<number, { attempts: { seq: number; receivedAt: number }[] }>();
        for (const { event, seq } of asked) {
          if (event.delivery.attempt === 1) continue;
          const found = (await readAttempts(event.delivery.key)).map(one => ({ ...one, seq: seqOf(one) }));
          for (const one of found) attempts.set(one.seq, one);
          groups.set(seq, { attempts: found });
        }
        return groups;
      },
      async selectFor(_, seqs) {
        const selected = new Set<number>();
        for (const seq of seqs) {
          const attempt = attempts.get(seq);
          if (attempt && wakes(attempt) && (await matches(attempt))) selected.add(seq);
        }
        return selected;
      },
      verdictsOf: async (_, seqs) => new Map(seqs.map(seq => [seq, attempts.get(seq)?.verdict ?? null])),
    });
    return (await first({ endpoint: 0, since }, waking)).map(({ event }) => event);
  };
}
