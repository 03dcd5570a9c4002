/* Odd events as they are in a block, and which of them a search with a filter parses. */
import { createBlockBuilder, selectRecords, unpackBlock } from '../../core/blocks/event-block.ts';
import { createEventContent } from '../../core/filter/event-content.ts';
import { createPrefilter } from '../../core/filter/prefilter.ts';
import type { Filter } from '../../shared/filter/filter.ts';
import type { OddEvent } from './odd-events.ts';

const [path, sourceIp] = ['/', '10.0.0.1'];

export const oddFactsOf = ({ headers, query, body }: OddEvent) => ({
  path,
  sourceIp,
  content: createEventContent({ headers, query, body }),
});

/** Puts the events into one block. */
export function oddBlockOf(events: readonly OddEvent[]): Buffer {
  const builder = createBlockBuilder();
  for (const [i, { headers, query, body }] of events.entries()) {
    const headersJson = JSON.stringify(headers);
    builder.add(i, { path, query, sourceIp, headersJson, body, eventType: null, receivedAt: 0 });
  }
  return unpackBlock(builder.take(null));
}

/** The indexes of the events that the prefilter keeps. */
export function keptIn(block: Buffer, filter: Filter): Set<number> {
  const mayMatch = createPrefilter(filter)?.(block);
  return new Set(selectRecords(block, 0, place => mayMatch?.(place) ?? true).map(({ seq }) => seq));
}
