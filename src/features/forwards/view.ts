/* Forwards and their deliveries in their wire shapes. */
import { decodeNumber, encodeNumber } from '../../core/base32.ts';
import { invalid } from '../../core/errors.ts';
import type { ForwardSettings } from '../../core/forward.ts';
import { eventId } from '../../core/ids.ts';
import { isDown } from './health.ts';
import type { ItemCounts, ItemRow } from './items-store.ts';
import type { Forward, ForwardDelivery } from './model.ts';
import type { ForwardRow } from './store.ts';

const cursorLetters = 11;

/** @throws invalid */
export function positionOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const position = cursor.length === cursorLetters ? decodeNumber(cursor) : undefined;
  if (position === undefined) throw invalid('invalid cursor');
  return position;
}

export const cursorOf = (seq: number): string => encodeNumber(seq, cursorLetters);

export const toSettings = (row: ForwardRow, headers: [string, string][]): ForwardSettings => ({
  name: row.name.toString(),
  url: row.url.toString(),
  where: row.filter.toString(),
  mode: row.mode,
  orderBy: row.orderBy?.toString() ?? null,
  sign: row.sign,
  headers,
  timeoutS: row.timeoutS,
  retry: row.retry,
  per: row.per,
  enabled: row.enabled,
});

export const toForward = (
  row: ForwardRow,
  settings: ForwardSettings,
  { waiting, failed, givenUp, oldestAt }: ItemCounts,
  now: number,
): Forward => ({
  id: row.id,
  ...settings,
  waiting,
  failed,
  givenUp,
  lagS: oldestAt === null ? 0 : Math.max(0, Math.floor((now - oldestAt) / 1000)),
  state: !row.enabled ? 'paused' : isDown(row) ? 'probing' : 'ok',
  createdAt: row.createdAt,
});

export const toDelivery = (row: ItemRow): ForwardDelivery => ({
  eventId: eventId(row.event ?? 0, row.nonce ?? Buffer.alloc(12)),
  state: row.outcome !== null ? 'given_up' : row.attempts > 0 ? 'failed' : 'waiting',
  attempts: row.attempts,
  nextAt: row.dueAt,
  lastStatus: row.status,
  lastError: row.error,
});
