/* The search for the events that a filter matches, which counting and deleting repeat until it is complete. */
import type { Reader } from '../../core/concurrency/content-reads.ts';
import type { Position } from '../../core/ids/cursor.ts';
import type { Filter } from '../../shared/filter/filter.ts';
import type { ReadableEndpoint } from '../events/reading.ts';

/** The most events that one search finds. */
export const foundAtOnce = 2048;

/** `next`: where to continue a search that has spent its budget; undefined if it is complete. */
export type FindMatching = (search: {
  endpoint: number;
  q: string;
  where: { filter: Filter; endpoint: ReadableEndpoint };
  since: number;
  after: Position | undefined;
  limit: number;
  reader: Reader;
}) => Promise<{ found: Position[]; next: Position | undefined }>;
