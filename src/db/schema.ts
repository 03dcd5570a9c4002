/* The Drizzle schema; schema.test.ts compares it with migrations/*.sql. Captured text is in BLOBs, decoded in JavaScript. */

import { blob, integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import { plans, roles } from '../core/access/principal.ts';
import { signInWays } from '../core/access/sign-in.ts';
import type { StoredGuard } from '../core/guard/model.ts';
import { replayVia } from '../core/replay/replay-via.ts';
import { faults } from '../shared/answers.ts';

export const meta = sqliteTable('meta', {
  name: text().primaryKey(),
  value: blob({ mode: 'buffer' }).notNull(),
});

export const teams = sqliteTable('teams', {
  id: text().primaryKey(),
  plan: text({ enum: plans }).notNull(),
  createdAt: integer('created_at').notNull(),
  version: integer().notNull().default(0),
});

export const accounts = sqliteTable('accounts', {
  id: text().primaryKey(),
  teamId: text('team_id').notNull(),
  email: text().notNull(),
  role: text({ enum: roles }).notNull(),
  passwordHash: text('password_hash'),
  createdAt: integer('created_at').notNull(),
});

export const endpoints = sqliteTable('endpoints', {
  seq: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  teamId: text('team_id').notNull(),
  name: text().notNull(),
  token: text().notNull(),
  createdAt: integer('created_at').notNull(),
  deletedAt: integer('deleted_at'),
  eventCount: integer('event_count').notNull().default(0),
  lastReceivedAt: integer('last_received_at'),
  learnSecretsUntil: integer('learn_secrets_until'),
  retention: text(),
  retentionMs: integer('retention_ms'),
  sweptSeq: integer('swept_seq').notNull().default(0),
  pausedAt: integer('paused_at'),
  guard: text({ mode: 'json' }).$type<StoredGuard>(),
  guardSecrets: blob('guard_secrets', { mode: 'buffer' }),
  declaredName: text('declared_name'),
  declaredFields: text('declared_fields', { mode: 'json' }).$type<readonly string[]>().notNull().default([]),
  madeByFile: integer('made_by_file', { mode: 'boolean' }).notNull().default(false),
});

export const previousTokens = sqliteTable('previous_tokens', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  endpoint: integer().notNull(),
  token: text().notNull(),
  replacedAt: integer('replaced_at').notNull(),
  until: integer().notNull(),
});

export const events = sqliteTable('events', {
  seq: integer().primaryKey({ autoIncrement: true }),
  nonce: blob({ mode: 'buffer' }).notNull(),
  endpoint: integer().notNull(),
  receivedAt: integer('received_at').notNull(),
  size: integer().notNull(),
  encoding: integer().notNull(),
  method: text().notNull(),
  platform: text(),
  eventType: text('event_type'),
  verdict: text(),
  sourceIp: text('source_ip').notNull(),
  sha256: blob({ mode: 'buffer' }).notNull(),
  path: blob({ mode: 'buffer' }).notNull(),
  query: blob({ mode: 'buffer' }),
  preview: blob({ mode: 'buffer' }).notNull(),
  content: blob({ mode: 'buffer' }).notNull(),
  block: integer(),
  blockStart: integer('block_start'),
  delivery: integer(),
});

export const blocks = sqliteTable('blocks', {
  seq: integer().primaryKey({ autoIncrement: true }),
  endpoint: integer().notNull(),
  firstEvent: integer('first_event').notNull(),
  lastEvent: integer('last_event').notNull(),
  events: integer().notNull(),
  bytes: integer().notNull(),
  encoding: integer().notNull(),
  checksum: blob({ mode: 'buffer' }).notNull(),
  content: blob({ mode: 'buffer' }).notNull(),
});

export const pins = sqliteTable('pins', {
  event: integer().primaryKey(),
  endpoint: integer().notNull(),
  receivedAt: integer('received_at').notNull(),
  name: text(),
  note: text(),
  pinnedAt: integer('pinned_at').notNull(),
});

export const answers = sqliteTable('answers', {
  version: integer().primaryKey({ autoIncrement: true }),
  endpoint: integer().notNull(),
  rules: blob({ mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
});

export const outcomes = sqliteTable('outcomes', {
  event: integer().primaryKey(),
  endpoint: integer().notNull(),
  receivedAt: integer('received_at').notNull(),
  status: integer(),
  rule: text(),
  delayMs: integer('delay_ms').notNull(),
  fault: text({ enum: faults }),
  limited: integer({ mode: 'boolean' }).notNull(),
  refused: integer(),
});

export const redactionRules = sqliteTable('redaction_rules', {
  version: integer().primaryKey({ autoIncrement: true }),
  endpoint: integer().notNull(),
  redaction: blob({ mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
});

export const filters = sqliteTable('filters', {
  id: text().primaryKey(),
  endpoint: integer().notNull(),
  name: text().notNull(),
  filter: blob({ mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
});

export const consumers = sqliteTable('consumers', {
  endpoint: integer().notNull(),
  name: text().notNull(),
  position: integer().notNull(),
  version: text().notNull(),
  lastSeenAt: integer('last_seen_at').notNull(),
});

export const eventSchemas = sqliteTable('schemas', {
  seq: integer().primaryKey(),
  endpoint: integer().notNull(),
  platform: text().notNull(),
  type: text().notNull(),
  count: integer().notNull(),
  firstAt: integer('first_at').notNull(),
  lastAt: integer('last_at').notNull(),
  changedAt: integer('changed_at').notNull(),
  shape: blob({ mode: 'buffer' }).notNull(),
});

export const schemaChanges = sqliteTable('schema_changes', {
  seq: integer().primaryKey({ autoIncrement: true }),
  endpoint: integer().notNull(),
  platform: text().notNull(),
  type: text().notNull(),
  kind: text({ enum: ['new', 'vanished', 'type'] }).notNull(),
  path: blob({ mode: 'buffer' }).notNull(),
  at: integer().notNull(),
  eventId: text('event_id').notNull(),
});

export const replays = sqliteTable('replays', {
  seq: integer().primaryKey(),
  event: integer().notNull(),
  accountId: text('account_id'),
  destination: text().notNull(),
  status: integer(),
  ok: integer({ mode: 'boolean' }).notNull(),
  durationMs: integer('duration_ms').notNull(),
  createdAt: integer('created_at').notNull(),
  via: text({ enum: replayVia }).notNull().default('api'),
  signed: integer({ mode: 'boolean' }).notNull().default(false),
  edited: integer({ mode: 'boolean' }).notNull().default(false),
  response: blob({ mode: 'buffer' }),
  request: blob({ mode: 'buffer' }),
  forward: integer(),
  attempts: integer(),
});

export const secrets = sqliteTable('secrets', {
  id: text().primaryKey(),
  endpoint: integer().notNull(),
  platform: text(),
  sealed: blob({ mode: 'buffer' }).notNull(),
  last4: text().notNull(),
  createdAt: integer('created_at').notNull(),
  confirmed: integer({ mode: 'boolean' }).notNull().default(true),
  learned: integer({ mode: 'boolean' }).notNull().default(false),
  maySign: integer('may_sign', { mode: 'boolean' }).notNull().default(false),
  destinations: text({ mode: 'json' }).$type<readonly string[]>().notNull().default([]),
  test: integer('is_test', { mode: 'boolean' }).notNull().default(false),
  declared: integer({ mode: 'boolean' }).notNull().default(false),
});

export const apiKeys = sqliteTable('api_keys', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  name: text().notNull(),
  hash: blob({ mode: 'buffer' }).notNull(),
  last4: text().notNull(),
  createdAt: integer('created_at').notNull(),
  lastUsedAt: integer('last_used_at'),
  appId: text('app_id'),
  grantId: text('grant_id'),
  expiresAt: integer('expires_at'),
  isReadOnly: integer('read_only', { mode: 'boolean' }).notNull().default(false),
});

export const sessions = sqliteTable('sessions', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  hash: blob({ mode: 'buffer' }).notNull(),
  userAgent: text('user_agent').notNull(),
  sourceIp: text('source_ip').notNull(),
  createdAt: integer('created_at').notNull(),
  lastSeenAt: integer('last_seen_at').notNull(),
  signedInAt: integer('signed_in_at').notNull().default(0),
  way: text({ enum: signInWays }).notNull().default('password'),
  idToken: blob('id_token', { mode: 'buffer' }),
});

export const oidcBindings = sqliteTable(
  'oidc_bindings',
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    accountId: text('account_id').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  table => [primaryKey({ columns: [table.issuer, table.subject] }), unique().on(table.accountId, table.issuer)],
);

export const passkeys = sqliteTable('passkeys', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  credentialId: blob('credential_id', { mode: 'buffer' }).notNull().unique(),
  publicKey: blob('public_key', { mode: 'buffer' }).notNull(),
  counter: integer().notNull(),
  transports: text({ mode: 'json' }).$type<string[]>().notNull(),
  name: text().notNull(),
  createdAt: integer('created_at').notNull(),
  lastUsedAt: integer('last_used_at'),
});

export const signInLinks = sqliteTable('sign_in_links', {
  hash: blob({ mode: 'buffer' }).primaryKey(),
  accountId: text('account_id').notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
});

export const totps = sqliteTable('totps', {
  accountId: text('account_id').primaryKey(),
  secret: blob({ mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
  confirmedAt: integer('confirmed_at'),
  lastStep: integer('last_step'),
});

export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    accountId: text('account_id').notNull(),
    hash: blob({ mode: 'buffer' }).notNull(),
  },
  table => [primaryKey({ columns: [table.accountId, table.hash] })],
);

export const invitations = sqliteTable('invitations', {
  hash: blob({ mode: 'buffer' }).primaryKey(),
  id: text().notNull(),
  teamId: text('team_id').notNull(),
  invitedBy: text('invited_by').notNull(),
  email: text().notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
});
