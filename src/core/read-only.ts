/*
 * What a read-only API key may do. The request gate, the interface description and the tools of agents use this table. Operations are
 * written as in `/openapi.json`; an operation that is not listed changes something, and is denied.
 */
import { createOperationTest } from './app-permissions.ts';

/** Operations that change nothing, whatever their method. */
export const readOperations: readonly string[] = [
  'GET /api/me',
  'GET /api/platforms',
  'GET /api/apps',
  'GET /api/audit',
  'GET /api/keys',
  'GET /api/session',
  'GET /api/sessions',
  'GET /api/team',
  'GET /api/team/invitations',
  'GET /api/invitations/{token}',
  'GET /api/endpoints',
  'GET /api/endpoints/{id}',
  'GET /api/endpoints/{id}/activity',
  'GET /api/endpoints/{id}/alerts',
  'GET /api/endpoints/{id}/answers',
  'POST /api/endpoints/{id}/answers/preview',
  'GET /api/endpoints/{id}/consumers',
  'GET /api/endpoints/{id}/consumers/{name}',
  'GET /api/endpoints/{id}/events/count',
  'GET /api/endpoints/{id}/export',
  'GET /api/endpoints/{id}/feed',
  'GET /api/endpoints/{id}/filters',
  'GET /api/endpoints/{id}/forwards',
  'GET /api/endpoints/{id}/forwards/{fid}',
  'GET /api/endpoints/{id}/forwards/{fid}/deliveries',
  'GET /api/endpoints/{id}/listeners',
  'GET /api/endpoints/{id}/retries',
  'GET /api/endpoints/{id}/schemas',
  'GET /api/endpoints/{id}/schemas/changes',
  'GET /api/endpoints/{id}/schemas/{type}',
  'GET /api/endpoints/{id}/secrets',
  'GET /api/endpoints/{id}/stream',
  'GET /api/replay-jobs',
  'GET /api/replay-jobs/{id}',
  'GET /api/replay-jobs/{id}/items',
  'GET /api/replay-jobs/{id}/items/{eventId}',
  'POST /api/endpoints/{id}/where/test',
  'POST /api/events/{id}/signature/check',
  'GET /api/events',
  'GET /api/events/{id}',
  'GET /api/events/{id}/raw',
  'GET /api/deliveries/{key}',
];

export const readOnlyMessage =
  'this API key is read-only: to change something, use a key without that limit or a session';

/** Whether the operation changes nothing. HEAD is treated as GET. */
export const isReadOperation = createOperationTest(readOperations);
