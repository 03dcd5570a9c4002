/*
 * The sentences of the audit log, by action: who did what. The list of an endpoint's changes uses the same ones. They name what was
 * changed and never contain a secret or a value.
 */
import type { AuditDetails } from '../../core/access/audit-actions.ts';

/** What of an endpoint an action changes, for the list of its changes. */
export type ChangeKind = 'secret' | 'answers' | 'forward' | 'alert' | 'guard' | 'settings';

/** An entry, and what is known about its target. */
export type Told = {
  action: string;
  actorEmail: string | null;
  targetType: string;
  targetId: string;
  details: AuditDetails | null;
  /** The name of the target: at that time, or else the last one known. */
  name: string | undefined;
  /** Whether the target still exists. */
  exists: boolean;
  /** The name of the endpoint that the entry is about; undefined where the reader sees the page of that endpoint. */
  endpointName: string | undefined;
};

/** `path`: of a page of the dashboard; below the page of its endpoint, if it has one. */
type Sentence = { kind?: ChangeKind; what: (told: Told) => string; path?: (told: Told) => string };

const one = (noun: string, { name }: Told): string =>
  name === undefined ? `${/^[ae]/i.test(noun) ? 'an' : 'a'} ${noun}` : `${noun} “${name}”`;
const endpoint = ({ endpointName }: Told): string =>
  endpointName === undefined ? 'the endpoint' : `endpoint “${endpointName}”`;
const of = (told: Told): string => (told.endpointName === undefined ? '' : ` of ${endpoint(told)}`);
const fields = ({ details }: Told): string => {
  const names = details?.fields ?? [];
  return names.length === 0 ? '' : `: ${names.join(', ')}`;
};
const isOfGuard = ({ details }: Told): boolean => details?.fields?.includes('guard') ?? false;
const whatOfSettings = (told: Told): string => {
  if (!isOfGuard(told)) return `changed the settings${of(told)}${fields(told)}`;
  const others = told.details?.fields?.filter(field => field !== 'guard') ?? [];
  return `changed the guard${of(told)}${others.length === 0 ? '' : `, and settings: ${others.join(', ')}`}`;
};
const person = ({ name }: Told): string => name ?? 'somebody';

const ofForward = (verb: string): Sentence => ({
  kind: 'forward',
  what: told => `${verb} ${one('forward', told)}${of(told)}${fields(told)}`,
  path: ({ targetId, exists }) => `/destinations${exists ? `/${targetId}` : ''}`,
});
const ofItems = (verb: string): Sentence => ({
  ...ofForward(verb),
  what: told => `${verb} events of ${one('forward', told)}${of(told)}`,
});
const ofAlert = (verb: string, kind: { kind?: 'alert' } = { kind: 'alert' }): Sentence => ({
  ...kind,
  what: told => `${verb} ${one('alert', told)}${of(told)}${fields(told)}`,
  path: () => '/alerts',
});
const ofSecret = (verb: string, rest = ''): Sentence => ({
  kind: 'secret',
  what: told => `${verb} a signing secret${told.name === undefined ? '' : ` for ${told.name}`}${of(told)}${rest}`,
  path: () => '/settings/secrets',
});
const ofEndpoint = (what: Sentence['what'], path = '/settings', kind: ChangeKind = 'settings'): Sentence => ({
  kind,
  what,
  path: () => path,
});
const ofEvent = (what: string): Sentence => ({ what: () => what, path: ({ targetId }) => `/events/${targetId}` });
const ofJob = (verb: string): Sentence => ({
  what: told => {
    const { events, to } = told.details ?? {};
    const count = events === undefined ? '' : ` of ${events.toLocaleString('en')} event${events === 1 ? '' : 's'}`;
    return `${verb} a replay${count}${to === undefined ? '' : ` to ${to}`}`;
  },
  path: ({ targetId }) => `/app/jobs/${targetId}`,
});
const ofSubscription = (verb: string): Sentence => ({
  what: told => {
    const app = told.name === undefined ? 'an app' : `“${told.name}”`;
    return `${verb} ${app} of new events${told.endpointName === undefined ? '' : ` at ${endpoint(told)}`}`;
  },
  path: () => '/app/settings/apps',
});
const inTeam = (what: Sentence['what']): Sentence => ({ what, path: () => '/app/settings/team' });

const sentences: Record<string, Sentence> = {
  'secret.created': ofSecret('added'),
  'secret.confirmed': ofSecret('confirmed'),
  'secret.deleted': ofSecret('removed'),
  'secret.signing_allowed': ofSecret('let', ' sign'),
  'secret.signing_forbidden': ofSecret('no longer lets', ' sign'),
  'forward.created': ofForward('created'),
  'forward.changed': ofForward('changed'),
  'forward.paused': ofForward('paused'),
  'forward.resumed': ofForward('resumed'),
  'forward.deleted': ofForward('deleted'),
  'forward.secret_replaced': ofForward('replaced the signing secret of'),
  'forward.retried': ofItems('retried'),
  'forward.skipped': ofItems('skipped'),
  'alert.created': ofAlert('created'),
  'alert.changed': ofAlert('changed'),
  'alert.deleted': ofAlert('deleted'),
  'alert.tested': ofAlert('tested', {}),
  'endpoint.created': ofEndpoint(told => `created ${endpoint(told)}`),
  'endpoint.changed': {
    ...ofEndpoint(whatOfSettings),
    path: told => (isOfGuard(told) ? '/settings/access' : '/settings'),
  },
  'endpoint.deleted': { what: told => `deleted ${endpoint(told)}` },
  'endpoint.url_rotated': ofEndpoint(told => `replaced the URL${of(told)}`),
  'endpoint.previous_url_ended': ofEndpoint(told => `ended a replaced URL${of(told)}`),
  'endpoint.answers_changed': ofEndpoint(told => `changed the answers${of(told)}`, '/answers', 'answers'),
  'endpoint.answers_reset': ofEndpoint(told => `removed the answers${of(told)}`, '/answers', 'answers'),
  'redaction.changed': ofEndpoint(told => `changed the redaction${of(told)}`, '/redaction'),
  'endpoint.events_deleted': ofEndpoint(told => `deleted events${of(told)}`, ''),
  'endpoint.events_imported': ofEndpoint(told => `imported events into ${endpoint(told)}`, ''),
  'endpoint.attempts_reported': {
    what: told => `delivered events${of(told)} with hooktape listen`,
    path: () => '',
  },
  'event.pinned': ofEvent('pinned an event'),
  'event.unpinned': ofEvent('unpinned an event'),
  'event.tagged': ofEvent('changed the tags of an event'),
  'event.replayed': ofEvent('replayed an event'),
  'event.deleted': ofEvent('deleted an event'),
  'redaction.applied': ofEndpoint(told => {
    const events = told.details?.events ?? 0;
    return `applied the redaction${of(told)} to ${events.toLocaleString('en')} stored event${events === 1 ? '' : 's'}`;
  }, ''),
  'erasure.done': inTeam(({ name, details }) => {
    const events = details?.events ?? 0;
    return `erased a text (${name}) with ${events.toLocaleString('en')} event${events === 1 ? '' : 's'}`;
  }),
  'event.test_sent': { what: told => `sent a test event to ${endpoint(told)}`, path: () => '' },
  'filter.created': { what: told => `saved ${one('filter', told)}${of(told)}`, path: () => '' },
  'filter.deleted': { what: told => `deleted ${one('filter', told)}${of(told)}`, path: () => '' },
  'replay_job.created': ofJob('started'),
  'replay_job.paused': ofJob('paused'),
  'replay_job.resumed': ofJob('resumed'),
  'replay_job.cancelled': ofJob('cancelled'),
  'key.created': { what: told => `created ${one('API key', told)}` },
  'key.revoked': { what: told => `revoked ${one('API key', told)}` },
  'app.connected': { what: told => `connected ${one('app', told)}` },
  'app.disconnected': { what: told => `disconnected ${one('app', told)}` },
  'subscription.created': ofSubscription('let Hooktape notify'),
  'subscription.ended': ofSubscription('stopped Hooktape from notifying'),
  'session.started': { what: () => 'signed in' },
  'session.started_passkey': { what: () => 'signed in with a passkey' },
  'session.started_header': { what: () => 'signed in through the proxy' },
  'session.started_oidc': { what: () => 'signed in with the OpenID Connect provider' },
  'session.started_link': { what: () => 'signed in with a link' },
  'session.ended': { what: ({ targetType }) => (targetType === 'session' ? 'ended a session' : 'signed out') },
  'sign_in_link.created': { what: told => `made a sign-in link for ${person(told)}` },
  'passkey.created': { what: told => `added ${one('passkey', told)}` },
  'passkey.changed': { what: told => `renamed ${one('passkey', told)}` },
  'passkey.deleted': { what: told => `deleted ${one('passkey', told)}` },
  'oidc.bound': { what: () => 'connected their account of the OpenID Connect provider' },
  'oidc.unbound': {
    what: told =>
      `disconnected ${told.actorEmail === null ? `the account of ${person(told)}` : 'their account'} from the OpenID Connect provider`,
  },
  'totp.enabled': { what: () => 'turned on one-time codes' },
  'totp.disabled': {
    what: told => `turned off one-time codes${told.actorEmail === null ? ` of ${person(told)}` : ''}`,
  },
  'account.created': inTeam(told => `created the account of ${person(told)}`),
  'account.deleted': { what: told => `deleted the account of ${person(told)}` },
  'account.password_changed': {
    what: told => `changed ${told.actorEmail === null ? `the password of ${person(told)}` : 'their password'}`,
  },
  'account.plan_changed': { what: () => 'changed the plan', path: () => '/app/settings/plan' },
  'invitation.created': inTeam(told => `invited ${person(told)}`),
  'invitation.renewed': inTeam(told => `renewed the invitation of ${person(told)}`),
  'invitation.withdrawn': { what: told => `withdrew the invitation of ${person(told)}` },
  'invitation.accepted': inTeam(() => 'joined the team'),
  'member.removed': { what: told => `removed ${person(told)} from the team` },
  'signing_key.rotated': { what: () => 'replaced the key that signs access tokens' },
};

/** The actions that are changes of an endpoint. */
export const changeActions: readonly string[] = Object.keys(sentences).filter(action => sentences[action]?.kind);

/** @returns `path` of the page about it: it begins with `/app`, or is below the page of the endpoint; null without a page */
export function sentenceOf(told: Told): { text: string; kind: ChangeKind; path: string | null } {
  const { kind = 'settings', what, path }: Sentence = sentences[told.action] ?? { what: () => `did: ${told.action}` };
  return {
    text: `${told.actorEmail ?? 'The operator'} ${what(told)}`,
    kind: kind === 'settings' && isOfGuard(told) ? 'guard' : kind,
    path: path?.(told) ?? null,
  };
}
