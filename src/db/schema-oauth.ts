/* The Drizzle schema of the tables of connected apps, defined in migrations/0003_create_oauth.sql. */
import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const oauthClients = sqliteTable('oauth_clients', {
  id: text().primaryKey(),
  kind: text({ enum: ['static', 'dcr', 'cimd'] }).notNull(),
  name: text().notNull(),
  redirectUris: text('redirect_uris', { mode: 'json' }).$type<string[]>().notNull(),
  authMethods: text('auth_methods').notNull(),
  secretHash: blob('secret_hash', { mode: 'buffer' }),
  mayRefresh: integer('may_refresh', { mode: 'boolean' }).notNull(),
  createdAt: integer('created_at').notNull(),
  fetchedAt: integer('fetched_at'),
  freshUntil: integer('fresh_until'),
  disabledAt: integer('disabled_at'),
});

export const connectedApps = sqliteTable('connected_apps', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  issuer: text().notNull(),
  clientId: text('client_id').notNull(),
  name: text().notNull(),
  createdAt: integer('created_at').notNull(),
  lastUsedAt: integer('last_used_at'),
  revokedAt: integer('revoked_at'),
});

export const oauthGrants = sqliteTable('oauth_grants', {
  id: text().primaryKey(),
  appId: text('app_id').notNull(),
  scope: text().notNull(),
  resource: text().notNull(),
  redirectHost: text('redirect_host').notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
  revokedAt: integer('revoked_at'),
  reason: text(),
});

export const oauthCodes = sqliteTable('oauth_codes', {
  hash: blob({ mode: 'buffer' }).primaryKey(),
  accountId: text('account_id').notNull(),
  clientId: text('client_id').notNull(),
  redirectUri: text('redirect_uri').notNull(),
  challenge: text(),
  scope: text().notNull(),
  resource: text().notNull(),
  expiresAt: integer('expires_at').notNull(),
  fails: integer().notNull().default(0),
  usedGrant: text('used_grant'),
});

export const oauthRefreshTokens = sqliteTable('oauth_refresh_tokens', {
  hash: blob({ mode: 'buffer' }).primaryKey(),
  grantId: text('grant_id').notNull(),
  parent: blob({ mode: 'buffer' }),
  createdAt: integer('created_at').notNull(),
  idleExpiresAt: integer('idle_expires_at').notNull(),
  rotatedAt: integer('rotated_at'),
  successor: blob({ mode: 'buffer' }),
});

export const authzRequests = sqliteTable('authz_requests', {
  hash: blob({ mode: 'buffer' }).primaryKey(),
  accountId: text('account_id').notNull(),
  sessionId: text('session_id').notNull(),
  clientId: text('client_id').notNull(),
  redirectUri: text('redirect_uri').notNull(),
  state: blob({ mode: 'buffer' }),
  challenge: text().notNull(),
  scope: text().notNull(),
  resource: text().notNull(),
  expiresAt: integer('expires_at').notNull(),
});

export const keyLogins = sqliteTable('key_logins', {
  hash: blob({ mode: 'buffer' }).primaryKey(),
  accountId: text('account_id').notNull(),
  sessionId: text('session_id').notNull(),
  name: text().notNull(),
  port: integer().notNull(),
  state: text().notNull(),
  challenge: text().notNull(),
  expiresAt: integer('expires_at').notNull(),
  approvedAt: integer('approved_at'),
  fails: integer().notNull().default(0),
});

export const signingKeys = sqliteTable('signing_keys', {
  kid: text().primaryKey(),
  alg: text().notNull(),
  publicJwk: text('public_jwk').notNull(),
  sealed: blob({ mode: 'buffer' }).notNull(),
  state: text({ enum: ['next', 'active', 'retired'] }).notNull(),
  createdAt: integer('created_at').notNull(),
  activateAt: integer('activate_at').notNull(),
  deleteAt: integer('delete_at'),
});

export const externalSubjects = sqliteTable(
  'external_subjects',
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    accountId: text('account_id').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  table => [primaryKey({ columns: [table.issuer, table.subject] })],
);
