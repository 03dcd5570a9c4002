/* What connected apps may do. Each operation names its permission on its route; the consent page lists the sentences. */
import { forbidden } from '../errors.ts';
import type { Principal } from './principal.ts';

export const groupsAllowedToApps = {
  Read: {
    account: 'see your email address, your plan, how you sign in, and the list of your connected apps',
    reading:
      'read your endpoints and all their webhooks, live and as exported files, and be told about new events and when alerts fire',
  },
  Change: {
    consumers: 'save and change how far programs have read the webhooks of an endpoint',
    keeping: 'pin and tag webhooks, and save and delete filters for your team',
    endpoints: 'create and rename endpoints, and delete them with all their webhooks',
    secrets: 'add and remove signing secrets, but never read them',
    keys: 'list and revoke your API keys, and create keys of its own, which stop working when you disconnect it',
  },
  Send: {
    replay: 'replay webhooks to any URL',
  },
} as const;

export const allowedToApps = {
  ...groupsAllowedToApps.Read,
  ...groupsAllowedToApps.Change,
  ...groupsAllowedToApps.Send,
};

/** What a user should consider before connecting an app, and why. */
export const risksOfApps: Partial<Record<keyof typeof allowedToApps, string>> = {
  endpoints: "can't be undone",
  secrets: "can't be undone",
  keys: 'can stop your programs',
  replay: 'data leaves this server',
};

export const deniedToApps = {
  team: 'see your team and its audit log, or invite and remove members',
  signIn: 'change your password or how you sign in, or see and end your sessions',
  signatures: 'check a signature with a secret, and see what the secret gives',
  signing:
    'confirm a signing secret that a sender provided, let an endpoint trust one, sign or edit what is sent again, or allow signing',
  listeners: 'see the listeners on your machines, be one, or send webhooks to them',
  testEvents: 'send test events, or list the platforms that they can imitate',
  erasures: 'erase a text from all webhooks of your team',
  deletion: 'delete single webhooks or endpoints with pinned ones, or change how long webhooks are kept',
  answers: 'see or change the answers that senders get',
  redaction: 'see or change what is taken out of webhooks before they are stored',
  alerts: 'see how alerts are set up, or change or test them',
  urls: 'rotate the URL of an endpoint, or pause it',
  replayJobs: 'send many webhooks again in replay jobs, or see and change such jobs',
  forwards: 'see, create and change forwards, or retry and skip their events',
  apps: 'disconnect other apps',
} as const;

export type Permission = keyof typeof allowedToApps | keyof typeof deniedToApps;

export const isAllowedToApps = (permission: Permission): boolean => Object.hasOwn(allowedToApps, permission);

export const appForbiddenMessage =
  'connected apps and the API keys that they created may not do this: use a session or an API key that a user created';

export const readOnlyMessage =
  'this API key is read-only: to change something, use a key without that limit or a session';

/** For an operation that is allowed to apps with one exception. @throws forbidden for an app */
export function requireUser({ app }: Pick<Principal, 'app'>): void {
  if (app) throw forbidden(appForbiddenMessage);
}
