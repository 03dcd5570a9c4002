/*
 * The cursor of a timeline whose search needs several answers: the range, the series and where to go on. It is bound to the request,
 * because counts of different filters must not be added up. Opaque to clients.
 */
import { Buffer } from 'node:buffer';
import { sha256 } from '../../core/encoding/sha256.ts';
import type { Position } from '../../core/ids/cursor.ts';
import { readFields } from '../../core/read-fields.ts';
import { TimelineCursor, type TimelineQuery } from './model.ts';

/** `values`: of the series; null without series. `after`: the search continues after this position of the list. */
export type Continuation = { from: number; to: number; values: string[] | null; after: Position };

function keyOf(endpointId: string, { from, to, buckets, where, q, by }: TimelineQuery): string {
  const request = JSON.stringify([endpointId, from, to, buckets, where, q, by]);
  return Buffer.from(sha256(Buffer.from(request))).toString('base64url', 0, 12);
}

export function encodeTimelineCursor(
  endpointId: string,
  query: TimelineQuery,
  { from, to, values, after }: Continuation,
): string {
  const fields: TimelineCursor = [keyOf(endpointId, query), from, to, values, after.receivedAt, after.seq];
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

/** undefined for a cursor of another request, and for anything that `encodeTimelineCursor` cannot have made. */
export function decodeTimelineCursor(
  endpointId: string,
  query: TimelineQuery,
  cursor: string,
): Continuation | undefined {
  let fields: unknown;
  try {
    fields = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
  const read = readFields(TimelineCursor, fields);
  if (!('value' in read)) return undefined;
  const [key, from, to, values, receivedAt, seq] = read.value;
  // A search begins right after the range.
  if (from > to || receivedAt > to + 1) return undefined;
  if (key !== keyOf(endpointId, query) || (values === null) !== ((query.by ?? 'none') === 'none')) return undefined;
  return { from, to, values, after: { receivedAt, seq } };
}
