-- Webhook subscriptions of MCP Events. The occurrences that a callback has not accepted yet are items of the queue of kind
-- 'subscription' whose owner is `owner`, which is random: a subscription that is made again gets a queue of its own.
-- `id`: derived from the app, the callback, the type and the arguments, which never change.
-- `endpoint`: NULL for all endpoints of the team. `arguments`: canonical JSON, from outside.
-- `sealed`: JSON with the URL of the callback, its secret, and the one before with its end. `origin`: that of the URL.
-- `grant_id`: the grant of the latest subscribe; NULL for an app of an external issuer. `dialect`: the error codes of that request.
-- `position`: all occurrences up to this row number are in the queue, or are not meant to be. `since`: where it began.
-- `answered`: whether the answer to the request that made it was written; nothing is sent before.
-- `refresh_before`: NULL without an end. `probe_at`: the callback counts as down, and is asked again then.
-- The table has no foreign keys: a subscription ends after what it belongs to, because its callback is told.
CREATE TABLE mcp_subscriptions (
  seq              INTEGER PRIMARY KEY AUTOINCREMENT,
  id               TEXT NOT NULL,
  owner            TEXT NOT NULL,
  team_id          TEXT NOT NULL,
  account_id       TEXT NOT NULL,
  app_id           TEXT NOT NULL,
  grant_id         TEXT,
  name             TEXT NOT NULL,
  endpoint         INTEGER,
  arguments        BLOB NOT NULL,
  origin           TEXT NOT NULL,
  sealed           BLOB NOT NULL,
  dialect          TEXT NOT NULL CHECK (dialect IN ('sketch', 'extension')),
  since            INTEGER NOT NULL,
  position         INTEGER NOT NULL,
  answered         INTEGER NOT NULL DEFAULT 0 CHECK (answered IN (0, 1)),
  refresh_before   INTEGER,
  refreshed_at     INTEGER NOT NULL,
  failures         INTEGER NOT NULL DEFAULT 0,
  failing_since    INTEGER,
  probe_at         INTEGER,
  last_status      INTEGER,
  last_error       TEXT,
  last_delivery_at INTEGER,
  created_at       INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX mcp_subscriptions_by_id ON mcp_subscriptions (id);
--> statement-breakpoint
CREATE UNIQUE INDEX mcp_subscriptions_by_owner ON mcp_subscriptions (owner);
--> statement-breakpoint
CREATE INDEX mcp_subscriptions_by_team ON mcp_subscriptions (team_id);
--> statement-breakpoint
-- The callbacks that have answered the challenge, by the SHA-256 of their URL.
CREATE TABLE mcp_callbacks (
  app_id      TEXT NOT NULL REFERENCES connected_apps (id) ON DELETE CASCADE,
  url_hash    BLOB NOT NULL,
  verified_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, url_hash)
) STRICT, WITHOUT ROWID;
