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
    description: 'read your endpoints and every webhook they received, as they arrive and as exported files',
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
      'GET /api/events',
      'GET /api/events/{id}',
      'GET /api/events/{id}/raw',
      'GET /api/deliveries/{key}',
    ],
  },
  {
    description: 'remember and change how far programs have read the webhooks of an endpoint',
    operations: ['PUT /api/endpoints/{id}/consumers/{name}', 'DELETE /api/endpoints/{id}/consumers/{name}'],
  },
  {
    description: 'pin and tag webhooks, unpin them, and save and delete filters for your team',
    operations: [
      'PUT /api/events/{id}/pin',
      'DELETE /api/events/{id}/pin',
      'PUT /api/events/{id}/tags',
      'POST /api/endpoints/{id}/filters',
      'DELETE /api/endpoints/{id}/filters/{filterId}',
    ],
  },
  {
    description: 'create and rename endpoints, and delete them together with the webhooks they received',
    operations: ['POST /api/endpoints', 'PATCH /api/endpoints/{id}', 'DELETE /api/endpoints/{id}'],
  },
  {
    description: 'send webhooks again, to any address',
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
    description:
      'list your API keys, revoke any of them, and create keys of its own, which stop working when you disconnect it',
    operations: ['GET /api/keys', 'POST /api/keys', 'DELETE /api/keys/{id}'],
  },
];

export const deniedToApps: readonly Permission[] = [
  {
    description: 'see your team, or invite and remove its members',
    operations: [
      'GET /api/team',
      'POST /api/team/invitations',
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
      'confirm a signing secret that a sender delivered, let an endpoint learn one, sign or edit what is sent again, or allow signing',
    operations: [
      'POST /api/endpoints/{id}/secrets/{secretId}/confirm',
      'PATCH /api/endpoints/{id}/secrets/{secretId}',
      'POST /api/endpoints/{id}/attempts',
    ],
  },
  {
    description:
      'delete webhooks other than with their endpoint, delete endpoints that have pinned ones, or change how long webhooks are kept',
    operations: ['DELETE /api/events/{id}', 'POST /api/endpoints/{id}/events/delete'],
  },
  {
    description: 'disconnect other apps',
    operations: ['DELETE /api/apps/{id}'],
  },
];

export const appForbiddenMessage =
  'connected apps and the API keys that they created may not do this: use a session or an API key that a user created';

const patternOf = (operation: string): string => operation.replace(/\{\w+\}/g, '[^/]+');
const allowed = new RegExp(`^(?:${allowedToApps.flatMap(({ operations }) => operations.map(patternOf)).join('|')})/?$`);

/** HEAD is treated as GET. */
export const isAllowedToApps = (method: string, path: string): boolean =>
  allowed.test(`${method === 'HEAD' ? 'GET' : method} ${path}`);

/** For an operation that is allowed to apps with one exception. @throws forbidden for an app */
export function requireUser({ app }: Pick<Principal, 'app'>): void {
  if (app) throw forbidden(appForbiddenMessage);
}
