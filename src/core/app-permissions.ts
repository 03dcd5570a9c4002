/*
 * The permissions of connected apps. The request gate, the interface description and the consent page all use these tables.
 * Operations are written as in `/openapi.json`; an operation that is not listed is denied to apps.
 */
import { forbidden } from './errors.ts';
import type { Principal } from './principal.ts';

export type Permission = {
  /** As the consent page shows it, after "It will be able to" or "It will not be able to". */
  description: string;
  operations: readonly string[];
};

export const allowedToApps: readonly Permission[] = [
  {
    description: 'see your email address, your plan and the list of your connected apps',
    operations: ['GET /api/me', 'GET /api/apps'],
  },
  {
    description: 'read your endpoints and all their webhooks, live and as exported files',
    operations: [
      'GET /api/endpoints',
      'GET /api/endpoints/{id}',
      'GET /api/endpoints/{id}/activity',
      'GET /api/endpoints/{id}/export',
      'GET /api/endpoints/{id}/retries',
      'GET /api/endpoints/{id}/filters',
      'GET /api/endpoints/{id}/schemas',
      'GET /api/endpoints/{id}/schemas/changes',
      'GET /api/endpoints/{id}/schemas/{type}',
      'GET /api/endpoints/{id}/stream',
      'GET /api/endpoints/{id}/feed',
      'GET /api/endpoints/{id}/consumers',
      'GET /api/endpoints/{id}/consumers/{name}',
      'POST /api/endpoints/{id}/where/test',
      'GET /api/endpoints/{id}/events/count',
      'GET /api/events',
      'GET /api/events/{id}',
      'GET /api/events/{id}/raw',
      'GET /api/deliveries/{key}',
    ],
  },
  {
    description: 'save and change how far programs have read the webhooks of an endpoint',
    operations: ['PUT /api/endpoints/{id}/consumers/{name}', 'DELETE /api/endpoints/{id}/consumers/{name}'],
  },
  {
    description: 'pin and tag webhooks, and save and delete filters for your team',
    operations: [
      'PUT /api/events/{id}/pin',
      'DELETE /api/events/{id}/pin',
      'PUT /api/events/{id}/tags',
      'POST /api/endpoints/{id}/filters',
      'DELETE /api/endpoints/{id}/filters/{filterId}',
    ],
  },
  {
    description: 'create and rename endpoints, and delete them with all their webhooks',
    operations: ['POST /api/endpoints', 'PATCH /api/endpoints/{id}', 'DELETE /api/endpoints/{id}'],
  },
  {
    description: 'replay webhooks to any URL',
    operations: ['POST /api/events/{id}/replay'],
  },
  {
    description: 'add and remove signing secrets, but never read them',
    operations: [
      'GET /api/endpoints/{id}/secrets',
      'POST /api/endpoints/{id}/secrets',
      'DELETE /api/endpoints/{id}/secrets/{secretId}',
    ],
  },
  {
    description: 'list and revoke your API keys, and create keys of its own, which stop working when you disconnect it',
    operations: ['GET /api/keys', 'POST /api/keys', 'DELETE /api/keys/{id}'],
  },
];

export const deniedToApps: readonly Permission[] = [
  {
    description: 'see your team and its audit log, or invite and remove members',
    operations: [
      'GET /api/audit',
      'GET /api/team',
      'GET /api/team/invitations',
      'POST /api/team/invitations',
      'POST /api/team/invitations/{id}/resend',
      'DELETE /api/team/invitations/{id}',
      'DELETE /api/team/members/{id}',
      'GET /api/invitations/{token}',
      'POST /api/invitations/{token}',
      'POST /api/setup',
    ],
  },
  {
    description: 'change your password, or see and end your sessions',
    operations: [
      'POST /api/password',
      'GET /api/session',
      'POST /api/session',
      'DELETE /api/session',
      'GET /api/sessions',
      'DELETE /api/sessions/{id}',
    ],
  },
  {
    description: 'check a signature with a secret, and see what the secret gives',
    operations: ['POST /api/events/{id}/signature/check'],
  },
  {
    description:
      'confirm a signing secret that a sender provided, let an endpoint trust one, sign or edit what is sent again, or allow signing',
    operations: [
      'POST /api/endpoints/{id}/secrets/{secretId}/confirm',
      'PATCH /api/endpoints/{id}/secrets/{secretId}',
      'POST /api/endpoints/{id}/attempts',
    ],
  },
  {
    description: 'see the listeners on your machines, be one, or send webhooks to them',
    operations: ['GET /api/endpoints/{id}/listeners', 'POST /api/endpoints/{id}/listeners/{name}'],
  },
  {
    description: 'send test events, or list the platforms that they can imitate',
    operations: ['GET /api/platforms', 'POST /api/endpoints/{id}/test-events'],
  },
  {
    description: 'delete single webhooks or endpoints with pinned ones, or change how long webhooks are kept',
    operations: ['DELETE /api/events/{id}', 'POST /api/endpoints/{id}/events/delete'],
  },
  {
    description: 'see or change the answers that senders get',
    operations: [
      'GET /api/endpoints/{id}/answers',
      'PUT /api/endpoints/{id}/answers',
      'DELETE /api/endpoints/{id}/answers',
      'POST /api/endpoints/{id}/answers/preview',
    ],
  },
  {
    description: 'see, change or test alerts',
    operations: [
      'GET /api/endpoints/{id}/alerts',
      'POST /api/endpoints/{id}/alerts',
      'PATCH /api/endpoints/{id}/alerts/{aid}',
      'DELETE /api/endpoints/{id}/alerts/{aid}',
      'POST /api/endpoints/{id}/alerts/{aid}/test',
    ],
  },
  {
    description: 'rotate the URL of an endpoint, or pause it',
    operations: ['POST /api/endpoints/{id}/rotate', 'DELETE /api/endpoints/{id}/previous-urls/{urlId}'],
  },
  {
    description: 'send many webhooks again in replay jobs, or see and change such jobs',
    operations: [
      'GET /api/replay-jobs',
      'POST /api/replay-jobs',
      'GET /api/replay-jobs/{id}',
      'POST /api/replay-jobs/{id}/pause',
      'POST /api/replay-jobs/{id}/resume',
      'POST /api/replay-jobs/{id}/cancel',
      'GET /api/replay-jobs/{id}/items',
      'GET /api/replay-jobs/{id}/items/{eventId}',
    ],
  },
  {
    description: 'see, create and change forwards, or retry and skip their events',
    operations: [
      'GET /api/endpoints/{id}/forwards',
      'POST /api/endpoints/{id}/forwards',
      'GET /api/endpoints/{id}/forwards/{fid}',
      'PATCH /api/endpoints/{id}/forwards/{fid}',
      'DELETE /api/endpoints/{id}/forwards/{fid}',
      'GET /api/endpoints/{id}/forwards/{fid}/deliveries',
      'POST /api/endpoints/{id}/forwards/{fid}/retry',
      'POST /api/endpoints/{id}/forwards/{fid}/skip',
      'POST /api/endpoints/{id}/forwards/{fid}/pause',
      'POST /api/endpoints/{id}/forwards/{fid}/resume',
    ],
  },
  {
    description: 'disconnect other apps',
    operations: ['DELETE /api/apps/{id}'],
  },
];

export const appForbiddenMessage =
  'connected apps and the API keys that they created may not do this: use a session or an API key that a user created';

const patternOf = (operation: string): string => operation.replace(/\{\w+\}/g, '[^/]+');

/** @returns whether a request is one of these operations; HEAD is treated as GET */
export function createOperationTest(operations: readonly string[]): (method: string, path: string) => boolean {
  const pattern = new RegExp(`^(?:${operations.map(patternOf).join('|')})/?$`);
  return (method, path) => pattern.test(`${method === 'HEAD' ? 'GET' : method} ${path}`);
}

export const isAllowedToApps = createOperationTest(allowedToApps.flatMap(({ operations }) => operations));

/** For an operation that is allowed to apps with one exception. @throws forbidden for an app */
export function requireUser({ app }: Pick<Principal, 'app'>): void {
  if (app) throw forbidden(appForbiddenMessage);
}
