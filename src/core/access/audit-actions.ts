/* The audit log's vocabulary, and the entries of commands (of operations: http/operation.ts). Actions are `noun.past_participle`. */

export const auditVias = ['dashboard', 'api', 'command'] as const;
export type AuditVia = (typeof auditVias)[number];

export type AuditTarget = { type: string; id: string };

/** What the sentence of an entry needs besides. Never a secret or a value. */
export type AuditDetails = {
  fields?: readonly string[];
  name?: string;
  /** How many events are sent, and the host that they are sent to. */
  events?: number;
  to?: string;
};
/** The endpoint that an entry is about, if there is one. */
export type AuditAbout = { endpointId: string | undefined; details: AuditDetails };

/** The entry of a command: its arguments and its result give the team and the target. */
export type CommandRule = {
  action: string;
  type: string;
  /** How the team is found: by an email address, a key's id or an endpoint; undefined for the installation. */
  team?: { by: 'email' | 'key' | 'endpoint'; argument: string };
  /** A property of the result or, without one, an argument. */
  id: { result: string } | { argument: string } | { fixed: string };
};

const ofAccount = (action: string): CommandRule => ({
  action,
  type: 'account',
  team: { by: 'email', argument: 'email' },
  id: { result: 'id' },
});

/** The entries by the names of `cli/operations.ts`; null for a command that changes nothing that people made. */
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
  'account.twoFactorOff': ofAccount('totp.disabled'),
  'account.signInLink': ofAccount('sign_in_link.created'),
  'account.oidcOff': ofAccount('oidc.unbound'),
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
  // The services write these entries when they are done.
  redact: null,
  erase: null,
  backup: null,
  'backup-s3.status': null,
  'backup-s3.now': null,
  'backup-s3.repair': null,
  check: null,
} as const satisfies Record<string, CommandRule | null>;
