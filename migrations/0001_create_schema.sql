-- Times are epoch milliseconds. Whatever arrives from outside (body, headers, query, path, preview) is BLOB:
-- libSQL cuts TEXT at NUL and aborts on TEXT that is not UTF-8.

CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
-- Who owns endpoints. Every account is in exactly one team.
CREATE TABLE teams (
  id         TEXT PRIMARY KEY,
  plan       TEXT NOT NULL CHECK (plan IN ('free', 'pro')),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE accounts (
  id            TEXT PRIMARY KEY,
  team_id       TEXT NOT NULL REFERENCES teams (id),
  email         TEXT NOT NULL UNIQUE COLLATE NOCASE,
  role          TEXT NOT NULL CHECK (role IN ('owner', 'member')),
  password_hash TEXT,
  created_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX accounts_by_team ON accounts (team_id);
--> statement-breakpoint
-- `deleted_at` hides an endpoint and its events at once; its rows are removed in the background.
CREATE TABLE endpoints (
  seq              INTEGER PRIMARY KEY AUTOINCREMENT,
  id               TEXT NOT NULL UNIQUE,
  team_id          TEXT NOT NULL REFERENCES teams (id),
  name             TEXT NOT NULL,
  token            TEXT NOT NULL UNIQUE,
  created_at       INTEGER NOT NULL,
  deleted_at       INTEGER,
  event_count      INTEGER NOT NULL DEFAULT 0,
  last_received_at INTEGER
) STRICT;
--> statement-breakpoint
CREATE INDEX endpoints_by_team ON endpoints (team_id, seq) WHERE deleted_at IS NULL;
--> statement-breakpoint
-- No foreign key on `endpoint`: ingest must not fail as a whole because one endpoint was deleted meanwhile.
-- `content` is the header pairs and the body together (core/stored-content.ts); it stands last, so that lists never walk
-- its overflow pages. `encoding`: 0 plain, 1 zstd.
CREATE TABLE events (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  nonce       BLOB NOT NULL,
  endpoint    INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  size        INTEGER NOT NULL,
  encoding    INTEGER NOT NULL,
  method      TEXT NOT NULL,
  platform    TEXT,
  event_type  TEXT,
  verdict     TEXT,
  source_ip   TEXT NOT NULL,
  sha256      BLOB NOT NULL,
  path        BLOB NOT NULL,
  query       BLOB,
  preview     BLOB NOT NULL,
  content     BLOB NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX events_by_time ON events (endpoint, received_at);
--> statement-breakpoint
CREATE TABLE replays (
  seq         INTEGER PRIMARY KEY,
  event       INTEGER NOT NULL,
  account_id  TEXT REFERENCES accounts (id) ON DELETE SET NULL,
  destination TEXT NOT NULL,
  status      INTEGER,
  ok          INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  created_at  INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX replays_by_event ON replays (event);
--> statement-breakpoint
CREATE INDEX replays_by_account ON replays (account_id);
--> statement-breakpoint
CREATE TABLE secrets (
  id         TEXT PRIMARY KEY,
  endpoint   INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  platform   TEXT,
  sealed     BLOB NOT NULL,
  last4      TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX secrets_by_endpoint ON secrets (endpoint);
--> statement-breakpoint
CREATE TABLE api_keys (
  id           TEXT PRIMARY KEY,
  account_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name         TEXT NOT NULL,
  hash         BLOB NOT NULL UNIQUE,
  last4        TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX api_keys_by_account ON api_keys (account_id);
--> statement-breakpoint
CREATE TABLE sessions (
  id           TEXT PRIMARY KEY,
  account_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  hash         BLOB NOT NULL UNIQUE,
  user_agent   TEXT NOT NULL,
  source_ip    TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX sessions_by_account ON sessions (account_id);
--> statement-breakpoint
CREATE TABLE invitations (
  hash       BLOB PRIMARY KEY,
  team_id    TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  invited_by TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email      TEXT NOT NULL COLLATE NOCASE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
