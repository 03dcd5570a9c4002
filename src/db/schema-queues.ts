/* The Drizzle schema of the tables of durable queues, of the features that use them, and of the audit log. */

import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { type AuditDetails, auditVias } from '../core/access/audit-actions.ts';
import { replayJobStates } from '../core/replay/replay-job.ts';
import { alertChannels, alertKinds } from '../shared/alerts.ts';
import { type ForwardRequest, type ForwardRetry, forwardModes, forwardPers, forwardSigns } from '../shared/forwards.ts';

export const queues = sqliteTable('queues', {
  seq: integer().primaryKey({ autoIncrement: true }),
  kind: text().notNull(),
  owner: text().notNull(),
  nextAt: integer('next_at'),
  pausedAt: integer('paused_at'),
  holder: text(),
  beats: integer().notNull().default(0),
  teamId: text('team_id'),
});

export const queueItems = sqliteTable('queue_items', {
  seq: integer().primaryKey({ autoIncrement: true }),
  queue: integer().notNull(),
  event: integer(),
  nonce: blob({ mode: 'buffer' }),
  lane: blob({ mode: 'buffer' }),
  dueAt: integer('due_at'),
  attempts: integer().notNull().default(0),
  outcome: text(),
  status: integer(),
  error: text(),
  detail: blob({ mode: 'buffer' }),
  addedAt: integer('added_at').notNull(),
  errors: integer().notNull().default(0),
});

export const audit = sqliteTable('audit', {
  seq: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  teamId: text('team_id'),
  at: integer().notNull(),
  actorId: text('actor_id'),
  actorEmail: text('actor_email'),
  via: text({ enum: auditVias }).notNull(),
  action: text().notNull(),
  targetType: text('target_type').notNull(),
  targetId: text('target_id').notNull(),
  endpointId: text('endpoint_id'),
  details: text({ mode: 'json' }).$type<AuditDetails>(),
});

export const replayJobs = sqliteTable('replay_jobs', {
  seq: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  teamId: text('team_id').notNull(),
  endpoint: integer().notNull(),
  accountId: text('account_id').notNull(),
  filter: blob({ mode: 'buffer' }).notNull(),
  dest: blob({ mode: 'buffer' }).notNull(),
  dest2: blob({ mode: 'buffer' }),
  ignored: blob({ mode: 'buffer' }).notNull(),
  compared: blob({ mode: 'buffer' }).notNull(),
  pace: text(),
  concurrency: integer().notNull(),
  per: text({ enum: ['event', 'delivery'] })
    .notNull()
    .default('event'),
  skipOk: integer('skip_ok', { mode: 'boolean' }).notNull(),
  stopAfter: integer('stop_after'),
  sign: text({ mode: 'json' }).$type<{ mode: 'fresh'; secretId?: string; newId?: boolean }>(),
  state: text({ enum: replayJobStates }).notNull(),
  matched: integer(),
  bytes: integer().notNull(),
  failedAtResume: integer('failed_at_resume').notNull().default(0),
  createdAt: integer('created_at').notNull(),
  finishedAt: integer('finished_at'),
});

export const jobDestinations = sqliteTable('job_destinations', {
  teamId: text('team_id').notNull(),
  dest: blob({ mode: 'buffer' }).notNull(),
  job: text().notNull(),
});

export const jobAnswers = sqliteTable('job_answers', {
  item: integer().primaryKey(),
  until: integer().notNull(),
  content: blob({ mode: 'buffer' }).notNull(),
});

export const alerts = sqliteTable('alerts', {
  seq: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  endpoint: integer().notNull(),
  name: text().notNull(),
  kind: text({ enum: alertKinds }).notNull(),
  filter: blob({ mode: 'buffer' }).notNull(),
  minutes: integer(),
  count: integer(),
  channelType: text('channel_type', { enum: alertChannels }).notNull(),
  channel: blob({ mode: 'buffer' }).notNull(),
  enabled: integer({ mode: 'boolean' }).notNull(),
  position: integer().notNull(),
  state: blob({ mode: 'buffer' }).notNull(),
  firing: integer({ mode: 'boolean' }).notNull().default(false),
  changedAt: integer('changed_at'),
  lastSentAt: integer('last_sent_at'),
  lastError: text('last_error'),
  createdAt: integer('created_at').notNull(),
  dueAt: integer('due_at').default(-1),
});

export const alertChanges = sqliteTable('alert_changes', {
  seq: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  endpoint: integer().notNull(),
  alertId: text('alert_id').notNull(),
  alertName: text('alert_name').notNull(),
  kind: text({ enum: alertKinds }).notNull(),
  firing: integer({ mode: 'boolean' }).notNull(),
  text: text().notNull(),
  at: integer().notNull(),
});

export const forwards = sqliteTable('forwards', {
  seq: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  endpoint: integer().notNull(),
  accountId: text('account_id'),
  name: blob({ mode: 'buffer' }).notNull(),
  url: blob({ mode: 'buffer' }).notNull(),
  filter: blob({ mode: 'buffer' }).notNull(),
  mode: text({ enum: forwardModes }).notNull(),
  orderBy: blob('order_by', { mode: 'buffer' }),
  sign: text({ enum: forwardSigns }).notNull().default('as-captured'),
  request: text({ mode: 'json' }).$type<ForwardRequest>(),
  headers: blob({ mode: 'buffer' }).notNull(),
  secret: blob({ mode: 'buffer' }),
  timeoutS: integer('timeout_s').notNull(),
  retry: text({ mode: 'json' }).$type<ForwardRetry>().notNull(),
  per: text({ enum: forwardPers }).notNull(),
  enabled: integer({ mode: 'boolean' }).notNull(),
  declared: integer({ mode: 'boolean' }).notNull().default(false),
  since: integer().notNull(),
  position: integer().notNull(),
  failures: integer().notNull().default(0),
  failingSince: integer('failing_since'),
  probeAt: integer('probe_at'),
  createdAt: integer('created_at').notNull(),
});

export const forwardStats = sqliteTable(
  'forward_stats',
  {
    forward: integer().notNull(),
    minutes: integer().notNull(),
    at: integer().notNull(),
    bucket: integer().notNull(),
    attempts: integer().notNull(),
  },
  ({ forward, minutes, at, bucket }) => [primaryKey({ columns: [forward, minutes, at, bucket] })],
);

export const mcpSubscriptions = sqliteTable('mcp_subscriptions', {
  seq: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  owner: text().notNull(),
  teamId: text('team_id').notNull(),
  accountId: text('account_id').notNull(),
  appId: text('app_id').notNull(),
  grantId: text('grant_id'),
  name: text({ enum: ['webhook.received', 'alert.changed'] }).notNull(),
  endpoint: integer(),
  arguments: blob({ mode: 'buffer' }).notNull(),
  origin: text().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull(),
  dialect: text({ enum: ['sketch', 'extension'] }).notNull(),
  since: integer().notNull(),
  position: integer().notNull(),
  answered: integer({ mode: 'boolean' }).notNull().default(false),
  refreshBefore: integer('refresh_before'),
  refreshedAt: integer('refreshed_at').notNull(),
  failures: integer().notNull().default(0),
  failingSince: integer('failing_since'),
  probeAt: integer('probe_at'),
  lastStatus: integer('last_status'),
  lastError: text('last_error'),
  lastDeliveryAt: integer('last_delivery_at'),
  createdAt: integer('created_at').notNull(),
});

export const mcpCallbacks = sqliteTable(
  'mcp_callbacks',
  {
    appId: text('app_id').notNull(),
    urlHash: blob('url_hash', { mode: 'buffer' }).notNull(),
    verifiedAt: integer('verified_at').notNull(),
  },
  ({ appId, urlHash }) => [primaryKey({ columns: [appId, urlHash] })],
);
