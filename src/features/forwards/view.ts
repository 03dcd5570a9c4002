/* Forwards and their deliveries in their wire shapes. */

import { eventId } from '../../core/ids/ids.ts';
import { isDown, isResting } from '../../core/network/destination-health.ts';
import type { ForwardSettings } from '../../shared/forwards.ts';
import type { DeliveryRow, ItemCounts } from './items-store.ts';
import type { Forward, ForwardDelivery } from './model.ts';
import type { ForwardRow } from './store.ts';

export const toSettings = (row: ForwardRow, headers: [string, string][]): ForwardSettings => ({
  name: row.name.toString(),
  url: row.url.toString(),
  where: row.filter.toString(),
  mode: row.mode,
  orderBy: row.orderBy?.toString() ?? null,
  request: row.request,
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
  { waiting, failed, givenUp, oldestAt, lastStatus, lastError }: ItemCounts,
  now: number,
): Forward => ({
  id: row.id,
  ...settings,
  waiting,
  failed,
  givenUp,
  lagS: oldestAt === null ? 0 : Math.max(0, Math.floor((now - oldestAt) / 1000)),
  state: !row.enabled ? 'paused' : isDown(row) ? 'probing' : 'ok',
  failingSince: row.failingSince,
  probeAt: isDown(row) || isResting(row, now) ? row.probeAt : null,
  lastStatus,
  lastError,
  createdAt: row.createdAt,
});

export const toDelivery = (row: DeliveryRow): ForwardDelivery => ({
  eventId: eventId(row.event ?? 0, row.nonce ?? Buffer.alloc(12)),
  eventType: row.eventType,
  platform: row.platform,
  receivedAt: row.receivedAt,
  state: row.outcome !== null ? 'given_up' : row.attempts > 0 ? 'failed' : 'waiting',
  attempts: row.attempts,
  nextAt: row.dueAt,
  lastStatus: row.status,
  lastError: row.error,
});
