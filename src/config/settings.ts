/*
 * The table of all settings. Reading, `hooktape config`, `.env.example` and the suggestions for misspelt names use it. `secret`
 * settings can also be read from the file that NAME_FILE names, and are never shown.
 */

import { tunnelChoices } from '../shared/tunnel.ts';
import { trustedIssuers } from './issuers.ts';
import {
  allowEntries,
  anyText,
  bearerToken,
  cidrs,
  count,
  databaseUrl,
  duration,
  email,
  httpUrl,
  type Kind,
  listenHost,
  mailbox,
  oneOf,
  onOff,
  origin,
  password,
  personHeader,
  port,
  s3Location,
  size,
  smtpUrl,
} from './kinds.ts';
import { groupNames, oidcClientId, oidcIssuer, oidcName, oidcScopes } from './oidc.ts';

export type Setting<T> = {
  readonly kind: Kind<T>;
  /** The value of a setting that is not set, as the operator would write it. */
  readonly default?: string;
  /** Shown in `.env.example` if there is no default to show. */
  readonly example?: string;
  readonly secret?: true;
  /** Lines of documentation. */
  readonly about: readonly string[];
};

type WithDefault<T> = Setting<T> & { readonly default: string };

const required = <T>(kind: Kind<T>, byDefault: string, ...about: string[]): WithDefault<T> => ({
  kind,
  default: byDefault,
  about,
});
const optional = <T>(kind: Kind<T>, example: string, ...about: string[]): Setting<T> => ({ kind, example, about });
const secret = <T>(kind: Kind<T>, ...about: string[]): Setting<T> => ({ kind, secret: true, about });

export const settings = {
  HOOKTAPE_HOST: required(listenHost, '127.0.0.1', 'Address to listen on. The container image sets 0.0.0.0.'),
  HOOKTAPE_PORT: required(port, '4665', 'Port to listen on; 0 chooses a free one.'),
  HOOKTAPE_BASE_URL: optional(
    origin,
    'http://localhost:4665',
    'Public origin: every absolute URL that Hooktape prints or returns starts with it.',
    'Never derived from a request. Default: http://localhost:PORT (https when TLS is set).',
  ),
  HOOKTAPE_INGEST_URL: optional(
    origin,
    'https://in.example.com',
    'A separate origin for ingest URLs, with another host name than BASE_URL. The server distinguishes them by the',
    'Host header: this origin serves only /in, and no other origin serves /in. It keeps custom answers away from the',
    'dashboard’s origin. Default: ingest URLs start with BASE_URL.',
  ),
  HOOKTAPE_TUNNEL: required(
    oneOf(...tunnelChoices),
    'off',
    'cloudflared, ngrok or tailscale: the server runs this program while it runs itself, and ingest URLs begin with the',
    'public origin that it announces. auto: the first of the three that is installed. Only /in can be reached through it.',
  ),
  HOOKTAPE_DATA_DIR: required(anyText, './data', 'Directory of the database, the generated secret and the socket.'),
  HOOKTAPE_DATABASE_URL: optional(
    databaseUrl,
    'file:./data/hooktape.db',
    'Database. file: is the embedded one; http(s)://, ws(s):// and libsql:// use a libSQL server.',
    'Default: file:DATA_DIR/hooktape.db',
  ),
  HOOKTAPE_DATABASE_AUTH_TOKEN: secret(anyText, 'Token for the libSQL server.'),
  HOOKTAPE_SECRET: secret(
    anyText,
    'Encrypts saved signing secrets and private keys. Keep it safe: without it they cannot be decrypted.',
    'At least 32 characters: openssl rand -hex 32. Default: generated into DATA_DIR/secret',
  ),
  HOOKTAPE_OWNER_EMAIL: optional(
    email,
    'you@example.com',
    'Creates the first account (plan pro) on an empty database. Also needs HOOKTAPE_OWNER_PASSWORD.',
  ),
  HOOKTAPE_OWNER_PASSWORD: secret(password, 'At least 12 characters.'),
  HOOKTAPE_ENDPOINTS_FILE: optional(
    anyText,
    '/etc/hooktape/endpoints.json',
    'File of endpoints that are created and updated at each start; see docs/declared-endpoints.md.',
  ),
  HOOKTAPE_FIXED_ADDRESSES: required(
    onOff,
    'off',
    'Allows such files to set fixed ingest URLs, such as /in/orders. They can be guessed, so give these endpoints a guard.',
  ),
  HOOKTAPE_MAX_BODY: required(size({ min: '1B', max: '512MiB' }), '32MiB', 'Maximum size of a delivery.'),
  HOOKTAPE_RATE_LIMIT: required(count({ min: 1, max: 1e9 }), '120', 'API requests per minute per credential.'),
  HOOKTAPE_FREE_ENDPOINTS: required(count({ min: 0, max: 1e9 }), '1', 'Endpoints per team on plan free; 0 = no limit.'),
  HOOKTAPE_PRO_ENDPOINTS: required(count({ min: 0, max: 1e9 }), '0', 'Endpoints per team on plan pro; 0 = no limit.'),
  HOOKTAPE_FREE_RETENTION: required(
    duration({ min: '0', max: '36500d' }),
    '7d',
    'Retention of events on plan free; 0 = forever.',
  ),
  HOOKTAPE_PRO_RETENTION: required(
    duration({ min: '0', max: '36500d' }),
    '90d',
    'Retention of events on plan pro; 0 = forever.',
  ),
  HOOKTAPE_SWEEP_EVERY: required(duration({ min: '1s', max: '1d' }), '5m', 'How often expired events are removed.'),
  HOOKTAPE_REPLAY_ALLOW: required(
    allowEntries,
    '',
    'Comma-separated hosts, host:port or CIDRs that replays, replay jobs, forwards and alerts may reach although they are not public,',
    'for example localhost:3000,10.0.0.0/8. Loopback is allowed automatically if BASE_URL is a loopback address.',
    'Cloud metadata addresses stay closed unless listed one by one.',
  ),
  HOOKTAPE_REPLAY_TIMEOUT: required(
    duration({ min: '1s', max: '10m' }),
    '30s',
    'Time limit for a replay, from connecting to the last byte.',
  ),
  HOOKTAPE_SMTP_URL: secret(
    smtpUrl,
    'Mail server for alerts by email: smtp://user:password@mail.example.com:587 (STARTTLS where it is offered) or smtps://.',
    'Without it, Hooktape sends no email.',
  ),
  HOOKTAPE_SMTP_FROM: optional(
    mailbox,
    'Hooktape <alerts@example.com>',
    'Sender of that email. Default: hooktape@ and the host name of BASE_URL.',
  ),
  HOOKTAPE_ALERT_EMAIL: optional(
    email,
    'you@example.com',
    'Email address for warnings to the operator: disk almost full, database not writable, backup too old.',
    'Also needs HOOKTAPE_SMTP_URL.',
  ),
  HOOKTAPE_TRUSTED_PROXIES: required(
    cidrs,
    '',
    'Comma-separated CIDRs of proxies whose X-Forwarded-For is trusted, for example 10.0.0.0/8.',
  ),
  HOOKTAPE_TLS_CERT: optional(anyText, '/etc/hooktape/cert.pem', 'Certificate file (PEM), to serve https directly.'),
  HOOKTAPE_TLS_KEY: optional(anyText, '/etc/hooktape/key.pem', 'Private key file (PEM) of that certificate.'),
  HOOKTAPE_OAUTH_ISSUERS: required(
    trustedIssuers,
    '[]',
    'Additional issuers whose access tokens are accepted: a JSON array of',
    '{ "issuer", "audience", "jwks_uri"?, "email_claim"? (default "email"), "create_accounts"? (default false) };',
    'without "jwks_uri", keys are found by discovery. In an env file, put it in single quotes.',
  ),
  HOOKTAPE_OAUTH_CIMD: required(
    onOff,
    'on',
    'Fetch OAuth client ID metadata documents; off for installations without outbound network.',
  ),
  HOOKTAPE_AUTH_HEADER: optional(
    personHeader,
    'Remote-Email',
    'Header in which a proxy in front names the person whom it has signed in, by email address. The proxy must remove',
    'this header from every request that it does not authenticate; see docs/signing-in.md.',
  ),
  HOOKTAPE_AUTH_HEADER_PROXIES: optional(
    cidrs,
    '127.0.0.1,10.0.0.5',
    'Comma-separated addresses and CIDRs of these proxies: from anywhere else the header is ignored.',
  ),
  HOOKTAPE_AUTH_HEADER_CREATE_ACCOUNTS: required(
    onOff,
    'off',
    'Creates an account, in a team of its own, for an address in that header that has none.',
  ),
  HOOKTAPE_PASSWORD_SIGN_IN: required(
    onOff,
    'on',
    'Sign-in to the dashboard with a password; off needs HOOKTAPE_OIDC_ISSUER or HOOKTAPE_AUTH_HEADER.',
    'Passkeys and `hooktape account sign-in-link` work in any case; see docs/signing-in.md.',
  ),
  HOOKTAPE_OIDC_ISSUER: optional(
    oidcIssuer,
    'https://id.example.com',
    'OpenID Connect provider that people may sign in with; see docs/signing-in.md. https, or http on a loopback address.',
    'Register BASE_URL/login/oidc/callback as redirect URI there. Also needs HOOKTAPE_OIDC_CLIENT_ID.',
  ),
  HOOKTAPE_OIDC_CLIENT_ID: optional(oidcClientId, 'hooktape', 'Client ID of this server at the provider.'),
  HOOKTAPE_OIDC_CLIENT_SECRET: secret(anyText, 'Client secret; without it, this server is a public client.'),
  HOOKTAPE_OIDC_NAME: optional(
    oidcName,
    'Example',
    'Text of the button on the sign-in page: "Continue with NAME". Default: the host of the issuer.',
  ),
  HOOKTAPE_OIDC_SCOPES: required(oidcScopes, 'openid email profile', 'Scopes to ask for.'),
  HOOKTAPE_OIDC_GROUPS_CLAIM: required(anyText, 'groups', 'Claim with the groups of the person.'),
  HOOKTAPE_OIDC_ALLOWED_GROUPS: optional(
    groupNames,
    'hooktape,admins',
    'Comma-separated groups whose members may sign in with the provider. Default: everybody who has an account.',
  ),
  HOOKTAPE_OIDC_OWNER_GROUPS: optional(
    groupNames,
    'admins',
    'Comma-separated groups whose members are owners of their team; all others are members. Checked on every sign-in;',
    'the last owner of a team stays one. Default: roles stay as they are.',
  ),
  HOOKTAPE_OIDC_CREATE_ACCOUNTS: required(
    onOff,
    'off',
    'Creates an account for a person without one, if the provider has verified the email address.',
  ),
  HOOKTAPE_OIDC_TEAM_OF: optional(
    email,
    'you@example.com',
    'Email address of an account whose team these new accounts join. Default: each gets a team of its own.',
  ),
  HOOKTAPE_BACKUP_S3: optional(
    s3Location,
    's3://tapes/hooktape',
    'Continuous backup of the embedded database to object storage, encrypted. Give each server a prefix',
    'of its own. Also needs HOOKTAPE_SECRET, because a generated one is lost with the disk, and the two keys below.',
  ),
  HOOKTAPE_BACKUP_EVERY: required(
    duration({ min: '1s', max: '1h' }),
    '10s',
    'How much a lost disk can lose: what is older than this is in the backup.',
  ),
  HOOKTAPE_BACKUP_KEEP: required(
    duration({ min: '1s', max: '36500d' }),
    '30d',
    'How far back a restore can go. Deleted events leave the backup after this time.',
  ),
  HOOKTAPE_S3_ENDPOINT: optional(
    httpUrl,
    'https://s3.example.com',
    'URL of any S3-compatible store. Default: AWS’s of the region.',
  ),
  HOOKTAPE_S3_REGION: required(anyText, 'us-east-1', 'Region of the bucket. AWS_* variables are not read.'),
  HOOKTAPE_S3_ACCESS_KEY_ID: secret(anyText, 'Access key of the store.'),
  HOOKTAPE_S3_SECRET_ACCESS_KEY: secret(anyText, 'Its secret.'),
  HOOKTAPE_S3_SESSION_TOKEN: secret(anyText, 'Session token, for temporary keys.'),
  HOOKTAPE_METRICS_TOKEN: secret(
    bearerToken,
    'Bearer token for /metrics; without it, /metrics is available only from loopback.',
  ),
  HOOKTAPE_CHECK_UPDATES: required(
    onOff,
    'off',
    'on: ask once a day for the number of the newest version. Owners see it in the dashboard, and hooktape version prints it.',
  ),
  HOOKTAPE_UPDATE_URL: required(
    httpUrl,
    'https://api.github.com/repos/hooktape/hooktape/releases/latest',
    'Where to ask: JSON with "tag_name" or "version", or a version as text. Nothing about this installation is sent.',
  ),
  HOOKTAPE_LOG_LEVEL: required(oneOf('debug', 'info', 'warn', 'error'), 'info', 'debug, info, warn or error.'),
  HOOKTAPE_LOG_FORMAT: required(
    oneOf('json', 'pretty', 'auto'),
    'auto',
    'json, pretty, or auto: pretty on a terminal, json elsewhere.',
  ),
} as const;

export type SettingName = keyof typeof settings;

/** The value of each setting; undefined only if the table has no default. */
export type SettingValues = {
  readonly [N in SettingName]: (typeof settings)[N] extends WithDefault<infer T>
    ? T
    : (typeof settings)[N] extends Setting<infer T>
      ? T | undefined
      : never;
};

// The type of Object.keys allows for further keys; this object is a literal, so it has none.
export const settingNames = Object.keys(settings) as SettingName[];
