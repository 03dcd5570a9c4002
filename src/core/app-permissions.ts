/*
 * What a connected app may do, and what only a signed-in person or an API key may. Decided here and nowhere else: the gate
 * refuses by it, and the interface description and the consent page are written from it. Each operation is listed as in
 * `/openapi.json`. One that is not listed is refused to apps, whatever the spelling of its address.
 */
import { forbidden } from './errors.ts';
import type { Principal } from './principal.ts';

export type Permission = {
  /** As the consent page puts it, after "It can" or "It cannot". */
  does: string;
  operations: readonly string[];
};

export const openToApps: readonly Permission[] = [
  {
    does: 'see your email address, your plan and the list of your connected apps',
    operations: ['GET /api/me', 'GET /api/apps'],
  },
  {
    does: 'read your endpoints and every webhook they received, as they arrive and as exported files',
    operations: [
      'GET /api/endpoints',
      'GET /api/endpoints/{id}',
      'GET /api/endpoints/{id}/activity',
      'GET /api/endpoints/{id}/export',
      'GET /api/endpoints/{id}/stream',
      'GET /api/events',
      'GET /api/events/{id}',
      'GET /api/events/{id}/raw',
    ],
  },
  {
    does: 'create and rename endpoints, and delete them together with the webhooks they received',
    operations: ['POST /api/endpoints', 'PATCH /api/endpoints/{id}', 'DELETE /api/endpoints/{id}'],
  },
  {
    does: 'send webhooks again, to any address',
    operations: ['POST /api/events/{id}/replay'],
  },
  {
    does: 'add and remove signing secrets, but never read them',
    operations: [
      'GET /api/endpoints/{id}/secrets',
      'POST /api/endpoints/{id}/secrets',
      'DELETE /api/endpoints/{id}/secrets/{secretId}',
    ],
  },
  {
    does: 'list your API keys, revoke any of them, and create keys of its own, which stop working when you disconnect it',
    operations: ['GET /api/keys', 'POST /api/keys', 'DELETE /api/keys/{id}'],
  },
];

export const closedToApps: readonly Permission[] = [
  {
    does: 'see your team, or invite and remove its members',
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
    does: 'change your password, or see and end your sessions',
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
    does: 'confirm a signing secret that a sender delivered, or let an endpoint learn one',
    operations: ['POST /api/endpoints/{id}/secrets/{secretId}/confirm'],
  },
  {
    does: 'disconnect other apps',
    operations: ['DELETE /api/apps/{id}'],
  },
];

export const appRefusal =
  'connected apps and their API keys may not do this: it takes a signed-in person or an API key that a person made';

const patternOf = (operation: string): string => operation.replace(/\{\w+\}/g, '[^/]+');
const open = new RegExp(`^(?:${openToApps.flatMap(({ operations }) => operations.map(patternOf)).join('|')})/?$`);

/** Whether an app may do this, by method and path. HEAD is as GET. */
export const isOpenToApps = (method: string, path: string): boolean =>
  open.test(`${method === 'HEAD' ? 'GET' : method} ${path}`);

/** For an operation that is open to apps with one exception. @throws forbidden for an app */
export function requirePerson({ app }: Pick<Principal, 'app'>): void {
  if (app) throw forbidden(appRefusal);
}
