/*
 * The entry of each operation in the audit log. Operations are written as in `/openapi.json`; every one that changes something has an
 * entry here, and a test tries them all. Actions are `noun.past_participle`.
 */

export const auditVias = ['dashboard', 'api', 'command'] as const;
export type AuditVia = (typeof auditVias)[number];

export type AuditTarget = { type: string; id: string };

/** Of an answered request: its path parameters, and the JSON of its answer. */
export type AuditedAnswer = { params: Record<string, string>; body: Record<string, unknown> };

export type AuditRule = {
  /** null: this answer says that nothing was changed. */
  action: string | ((answer: AuditedAnswer) => string | null);
  type: string;
  /** @returns undefined: the account of the person who did it */
  id: (answer: AuditedAnswer) => string | undefined;
  /** Statuses other than 2xx after which something was changed. */
  alsoAfter?: readonly number[];
};

const param =
  (name: string) =>
  ({ params }: AuditedAnswer): string =>
    params[name] ?? '';
const created = ({ body }: AuditedAnswer): string => String(body['id']);
const self = (): undefined => undefined;

const rule = (action: AuditRule['action'], type: string, id: AuditRule['id'], more: Partial<AuditRule> = {}) => ({
  action,
  type,
  id,
  ...more,
});

/** null: it changes only how far a program has read, or that it is there, and leaves no line. */
export const auditRules: Readonly<Record<string, AuditRule | null>> = {
  'POST /api/endpoints': rule('endpoint.created', 'endpoint', created),
  'PATCH /api/endpoints/{id}': rule('endpoint.changed', 'endpoint', param('id')),
  'DELETE /api/endpoints/{id}': rule('endpoint.deleted', 'endpoint', param('id')),
  'POST /api/endpoints/{id}/rotate': rule('endpoint.url_rotated', 'endpoint', param('id')),
  'DELETE /api/endpoints/{id}/previous-urls/{urlId}': rule('endpoint.previous_url_ended', 'endpoint', param('id')),
  'POST /api/endpoints/{id}/events/delete': rule('endpoint.events_deleted', 'endpoint', param('id')),
  'POST /api/endpoints/{id}/attempts': rule('endpoint.attempts_reported', 'endpoint', param('id')),
  'PUT /api/endpoints/{id}/answers': rule('endpoint.answers_changed', 'endpoint', param('id')),
  'DELETE /api/endpoints/{id}/answers': rule('endpoint.answers_reset', 'endpoint', param('id')),
  'POST /api/endpoints/{id}/test-events': rule('event.test_sent', 'endpoint', param('id')),
  'POST /api/endpoints/{id}/filters': rule('filter.created', 'filter', created),
  'POST /api/endpoints/{id}/alerts': rule('alert.created', 'alert', created),
  'PATCH /api/endpoints/{id}/alerts/{aid}': rule('alert.changed', 'alert', param('aid')),
  'DELETE /api/endpoints/{id}/alerts/{aid}': rule('alert.deleted', 'alert', param('aid')),
  'POST /api/endpoints/{id}/alerts/{aid}/test': rule('alert.tested', 'alert', param('aid')),
  'DELETE /api/endpoints/{id}/filters/{filterId}': rule('filter.deleted', 'filter', param('filterId')),
  'POST /api/endpoints/{id}/secrets': rule('secret.created', 'secret', created),
  'DELETE /api/endpoints/{id}/secrets/{secretId}': rule('secret.deleted', 'secret', param('secretId')),
  'POST /api/endpoints/{id}/secrets/{secretId}/confirm': rule('secret.confirmed', 'secret', param('secretId')),
  'PATCH /api/endpoints/{id}/secrets/{secretId}': rule(
    ({ body }) => (body['maySign'] ? 'secret.signing_allowed' : 'secret.signing_forbidden'),
    'secret',
    param('secretId'),
  ),
  'PUT /api/endpoints/{id}/consumers/{name}': null,
  'POST /api/endpoints/{id}/listeners/{name}': null,
  'DELETE /api/endpoints/{id}/consumers/{name}': null,
  'POST /api/events/{id}/replay': rule(
    ({ body }) => (body['dryRun'] ? null : 'event.replayed'),
    'event',
    param('id'),
    // The destination did not answer: the attempt was made, and stands in the event's replays.
    { alsoAfter: [502] },
  ),
  'PUT /api/events/{id}/pin': rule('event.pinned', 'event', param('id')),
  'DELETE /api/events/{id}/pin': rule('event.unpinned', 'event', param('id')),
  'PUT /api/events/{id}/tags': rule('event.tagged', 'event', param('id')),
  'DELETE /api/events/{id}': rule('event.deleted', 'event', param('id')),
  'POST /api/replay-jobs': rule(({ body }) => ('id' in body ? 'replay_job.created' : null), 'replay_job', created),
  'POST /api/replay-jobs/{id}/pause': rule('replay_job.paused', 'replay_job', param('id')),
  'POST /api/replay-jobs/{id}/resume': rule('replay_job.resumed', 'replay_job', param('id')),
  'POST /api/replay-jobs/{id}/cancel': rule('replay_job.cancelled', 'replay_job', param('id')),
  'POST /api/endpoints/{id}/forwards': rule('forward.created', 'forward', created),
  'PATCH /api/endpoints/{id}/forwards/{fid}': rule('forward.changed', 'forward', param('fid')),
  'DELETE /api/endpoints/{id}/forwards/{fid}': rule('forward.deleted', 'forward', param('fid')),
  'POST /api/endpoints/{id}/forwards/{fid}/retry': rule(
    ({ body }) => ('id' in body ? 'forward.retried' : null),
    'forward',
    param('fid'),
  ),
  'POST /api/endpoints/{id}/forwards/{fid}/skip': rule(
    ({ body }) => ('id' in body ? 'forward.skipped' : null),
    'forward',
    param('fid'),
  ),
  'POST /api/endpoints/{id}/forwards/{fid}/pause': rule('forward.paused', 'forward', param('fid')),
  'POST /api/endpoints/{id}/forwards/{fid}/resume': rule('forward.resumed', 'forward', param('fid')),
  'POST /api/keys': rule('key.created', 'key', created),
  'DELETE /api/keys/{id}': rule('key.revoked', 'key', param('id')),
  'DELETE /api/apps/{id}': rule('app.disconnected', 'app', param('id')),
  'POST /api/session': rule('session.started', 'account', self),
  'DELETE /api/session': rule('session.ended', 'account', self),
  'DELETE /api/sessions/{id}': rule('session.ended', 'session', param('id')),
  'POST /api/password': rule('account.password_changed', 'account', self),
  'POST /api/setup': rule('account.created', 'account', self),
  'POST /api/team/invitations': rule('invitation.created', 'invitation', created),
  'POST /api/team/invitations/{id}/resend': rule('invitation.renewed', 'invitation', param('id')),
  'DELETE /api/team/invitations/{id}': rule('invitation.withdrawn', 'invitation', param('id')),
  'DELETE /api/team/members/{id}': rule('member.removed', 'account', param('id')),
  // Not the token of its path, which is a secret.
  'POST /api/invitations/{token}': rule('invitation.accepted', 'account', self),
};

/** The entry of a command: its arguments and its result give the team and the target. */
export type CommandRule = {
  action: string;
  type: string;
  /** How the team is found: by an email address or a key's id of the arguments, or by an endpoint; undefined: the installation. */
  team?: { by: 'email' | 'key' | 'endpoint'; argument: string };
  /** A property of the result or, without one, an argument. */
  id: { result: string } | { argument: string } | { fixed: string };
};

/** Of a command whose result is an account. */
const ofAccount = (action: string): CommandRule => ({
  action,
  type: 'account',
  team: { by: 'email', argument: 'email' },
  id: { result: 'id' },
});

/** By the names of `cli/operations.ts`. null: the command changes nothing that people have made. */
export const commandRules = {
  ping: null,
  'import.add': {
    action: 'endpoint.events_imported',
    type: 'endpoint',
    team: { by: 'endpoint', argument: 'endpoint' },
    id: { argument: 'endpoint' },
  },
  'account.create': ofAccount('account.created'),
  'account.list': null,
  'account.plan': ofAccount('account.plan_changed'),
  'account.password': ofAccount('account.password_changed'),
  'account.delete': ofAccount('account.deleted'),
  'key.create': {
    action: 'key.created',
    type: 'key',
    team: { by: 'email', argument: 'account' },
    id: { result: 'id' },
  },
  'key.list': null,
  'key.revoke': { action: 'key.revoked', type: 'key', team: { by: 'key', argument: 'id' }, id: { argument: 'id' } },
  'signing-key.rotate': { action: 'signing_key.rotated', type: 'installation', id: { fixed: 'signing-key' } },
  // The service that applies the file writes an entry for each endpoint.
  'endpoints.apply': null,
  backup: null,
  check: null,
} as const satisfies Record<string, CommandRule | null>;
