-- Generated from the migrations by `bun run schema-snapshot`; do not edit.
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE teams (
  id         TEXT PRIMARY KEY,
  plan       TEXT NOT NULL CHECK (plan IN ('free', 'pro')),
  created_at INTEGER NOT NULL
, version INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
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
, learn_secrets_until INTEGER, retention TEXT, retention_ms INTEGER, swept_seq INTEGER NOT NULL DEFAULT 0, paused_at INTEGER, guard TEXT, guard_secrets BLOB, declared_name TEXT, declared_fields TEXT NOT NULL DEFAULT '[]', made_by_file INTEGER NOT NULL DEFAULT 0 CHECK (made_by_file IN (0, 1))) STRICT;
--> statement-breakpoint
CREATE INDEX endpoints_by_team ON endpoints (team_id, seq) WHERE deleted_at IS NULL;
--> statement-breakpoint
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
, block INTEGER, block_start INTEGER, delivery INTEGER) STRICT;
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
, via TEXT NOT NULL DEFAULT 'api'
  CHECK (via IN ('api', 'dashboard', 'mcp', 'listen', 'forward', 'job')), signed INTEGER NOT NULL DEFAULT 0 CHECK (signed IN (0, 1)), edited INTEGER NOT NULL DEFAULT 0 CHECK (edited IN (0, 1)), response BLOB, request BLOB, forward INTEGER, attempts INTEGER) STRICT;
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
, confirmed INTEGER NOT NULL DEFAULT 1 CHECK (confirmed IN (0, 1)), learned INTEGER NOT NULL DEFAULT 0 CHECK (learned IN (0, 1)), may_sign INTEGER NOT NULL DEFAULT 0 CHECK (may_sign IN (0, 1)), destinations TEXT NOT NULL DEFAULT '[]', is_test INTEGER NOT NULL DEFAULT 0, declared INTEGER NOT NULL DEFAULT 0 CHECK (declared IN (0, 1))) STRICT, WITHOUT ROWID;
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
, app_id TEXT REFERENCES connected_apps (id) ON DELETE CASCADE, grant_id TEXT REFERENCES oauth_grants (id) ON DELETE CASCADE, expires_at INTEGER, read_only INTEGER NOT NULL DEFAULT 0 CHECK (read_only IN (0, 1))) STRICT, WITHOUT ROWID;
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
, signed_in_at INTEGER NOT NULL DEFAULT 0, way TEXT NOT NULL DEFAULT 'password', id_token BLOB) STRICT, WITHOUT ROWID;
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
, id TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE oauth_clients (
  id            TEXT PRIMARY KEY,
  kind          TEXT NOT NULL CHECK (kind IN ('static', 'dcr', 'cimd')),
  name          TEXT NOT NULL,
  redirect_uris TEXT NOT NULL,
  auth_methods  TEXT NOT NULL,
  secret_hash   BLOB,
  may_refresh   INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  fetched_at    INTEGER,
  fresh_until   INTEGER,
  disabled_at   INTEGER
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE connected_apps (
  id           TEXT PRIMARY KEY,
  account_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  issuer       TEXT NOT NULL,
  client_id    TEXT NOT NULL,
  name         TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at   INTEGER,
  UNIQUE (account_id, issuer, client_id)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX connected_apps_by_client ON connected_apps (client_id);
--> statement-breakpoint
CREATE TABLE oauth_grants (
  id            TEXT PRIMARY KEY,
  app_id        TEXT NOT NULL REFERENCES connected_apps (id) ON DELETE CASCADE,
  scope         TEXT NOT NULL,
  resource      TEXT NOT NULL,
  redirect_host TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  revoked_at    INTEGER,
  reason        TEXT
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX oauth_grants_by_app ON oauth_grants (app_id);
--> statement-breakpoint
CREATE TABLE oauth_codes (
  hash         BLOB PRIMARY KEY,
  account_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  client_id    TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  challenge    TEXT,
  scope        TEXT NOT NULL,
  resource     TEXT NOT NULL,
  expires_at   INTEGER NOT NULL,
  fails        INTEGER NOT NULL DEFAULT 0,
  used_grant   TEXT
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX oauth_codes_by_account ON oauth_codes (account_id);
--> statement-breakpoint
CREATE TABLE oauth_refresh_tokens (
  hash            BLOB PRIMARY KEY,
  grant_id        TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  parent          BLOB,
  created_at      INTEGER NOT NULL,
  idle_expires_at INTEGER NOT NULL,
  rotated_at      INTEGER,
  successor       BLOB
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX oauth_refresh_tokens_by_grant ON oauth_refresh_tokens (grant_id);
--> statement-breakpoint
CREATE TABLE authz_requests (
  hash         BLOB PRIMARY KEY,
  account_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  session_id   TEXT NOT NULL,
  client_id    TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  state        BLOB,
  challenge    TEXT NOT NULL,
  scope        TEXT NOT NULL,
  resource     TEXT NOT NULL,
  expires_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX authz_requests_by_account ON authz_requests (account_id);
--> statement-breakpoint
CREATE TABLE signing_keys (
  kid         TEXT PRIMARY KEY,
  alg         TEXT NOT NULL,
  public_jwk  TEXT NOT NULL,
  sealed      BLOB NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('next', 'active', 'retired')),
  created_at  INTEGER NOT NULL,
  activate_at INTEGER NOT NULL,
  delete_at   INTEGER
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX signing_keys_one_active ON signing_keys (state) WHERE state <> 'retired';
--> statement-breakpoint
CREATE TABLE external_subjects (
  issuer     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX external_subjects_by_account ON external_subjects (account_id);
--> statement-breakpoint
CREATE INDEX api_keys_by_app ON api_keys (app_id);
--> statement-breakpoint
CREATE INDEX api_keys_by_grant ON api_keys (grant_id);
--> statement-breakpoint
CREATE TRIGGER oauth_grants_revoked AFTER UPDATE OF revoked_at ON oauth_grants
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  DELETE FROM api_keys WHERE grant_id = NEW.id;
  DELETE FROM oauth_codes WHERE used_grant IS NULL AND EXISTS (SELECT 1 FROM connected_apps a
    WHERE a.id = NEW.app_id AND a.account_id = oauth_codes.account_id AND a.client_id = oauth_codes.client_id);
  DELETE FROM authz_requests WHERE EXISTS (SELECT 1 FROM connected_apps a
    WHERE a.id = NEW.app_id AND a.account_id = authz_requests.account_id AND a.client_id = authz_requests.client_id);
END;
--> statement-breakpoint
CREATE TRIGGER connected_apps_revoked AFTER UPDATE OF revoked_at ON connected_apps
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  DELETE FROM api_keys WHERE app_id = NEW.id;
END;
--> statement-breakpoint
CREATE TABLE blocks (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint    INTEGER NOT NULL,
  first_event INTEGER NOT NULL,
  last_event  INTEGER NOT NULL,
  events      INTEGER NOT NULL,
  bytes       INTEGER NOT NULL,
  encoding    INTEGER NOT NULL,
  checksum    BLOB NOT NULL,
  content     BLOB NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX blocks_small ON blocks (endpoint, first_event, bytes) WHERE bytes < 32768;
--> statement-breakpoint
CREATE TABLE block_signatures (
  block      INTEGER PRIMARY KEY,
  endpoint   INTEGER NOT NULL,
  newest     INTEGER NOT NULL,
  oldest     INTEGER NOT NULL,
  last_event INTEGER NOT NULL,
  bytes      INTEGER NOT NULL,
  facts      BLOB NOT NULL DEFAULT x'',
  filter     BLOB NOT NULL
, value_filter BLOB NOT NULL DEFAULT x'') STRICT;
--> statement-breakpoint
CREATE INDEX block_signatures_by_time ON block_signatures (endpoint, newest, last_event, oldest);
--> statement-breakpoint
CREATE INDEX block_signatures_of_full ON block_signatures (endpoint, newest) WHERE bytes BETWEEN 32768 AND 65536;
--> statement-breakpoint
CREATE TRIGGER blocks_forget_signature AFTER DELETE ON blocks BEGIN
  DELETE FROM block_signatures WHERE block = OLD.seq;
END;
--> statement-breakpoint
CREATE TABLE signature_runs (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint     INTEGER NOT NULL,
  state        INTEGER NOT NULL,
  newest       INTEGER NOT NULL,
  oldest       INTEGER NOT NULL,
  last_event   INTEGER NOT NULL,
  filter_bytes INTEGER NOT NULL,
  blocks       BLOB NOT NULL
, value_bytes INTEGER NOT NULL DEFAULT 0) STRICT;
--> statement-breakpoint
CREATE INDEX signature_runs_by_endpoint ON signature_runs (endpoint);
--> statement-breakpoint
CREATE INDEX signature_runs_unfinished ON signature_runs (state) WHERE state <> 2;
--> statement-breakpoint
CREATE TABLE signature_slices (
  seq    INTEGER PRIMARY KEY,
  slices BLOB NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE pins (
  event       INTEGER PRIMARY KEY,
  endpoint    INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  name        TEXT,
  note        TEXT,
  pinned_at   INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX pins_by_time ON pins (endpoint, received_at);
--> statement-breakpoint
CREATE UNIQUE INDEX pins_by_name ON pins (endpoint, name) WHERE name IS NOT NULL;
--> statement-breakpoint
CREATE TABLE tags (
  event       INTEGER NOT NULL,
  tag         TEXT NOT NULL,
  position    INTEGER NOT NULL,
  endpoint    INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (event, tag)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX tags_by_tag ON tags (endpoint, tag, received_at);
--> statement-breakpoint
CREATE TABLE delivery_attempts (
  bucket   INTEGER NOT NULL,
  delivery INTEGER NOT NULL,
  event    INTEGER NOT NULL,
  PRIMARY KEY (bucket, delivery, event)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE filters (
  id         TEXT PRIMARY KEY,
  endpoint   INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  name       TEXT NOT NULL,
  filter     BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX filters_by_endpoint ON filters (endpoint, created_at);
--> statement-breakpoint
CREATE TABLE consumers (
  endpoint     INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  name         TEXT NOT NULL,
  position     INTEGER NOT NULL,
  version      TEXT NOT NULL,
  last_seen_at INTEGER NOT NULL,
  PRIMARY KEY (endpoint, name)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE schemas (
  seq        INTEGER PRIMARY KEY,
  endpoint   INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  platform   TEXT NOT NULL,
  type       TEXT NOT NULL,
  count      INTEGER NOT NULL,
  first_at   INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  shape      BLOB NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX schemas_by_type ON schemas (endpoint, type, platform);
--> statement-breakpoint
CREATE TABLE schema_changes (
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  platform TEXT NOT NULL,
  type     TEXT NOT NULL,
  kind     TEXT NOT NULL CHECK (kind IN ('new', 'vanished', 'type')),
  path     BLOB NOT NULL,
  at       INTEGER NOT NULL,
  event_id TEXT NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX schema_changes_by_endpoint ON schema_changes (endpoint, seq);
--> statement-breakpoint
CREATE TABLE previous_tokens (
  seq         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  endpoint    INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  token       TEXT NOT NULL UNIQUE,
  replaced_at INTEGER NOT NULL,
  until       INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX previous_tokens_by_endpoint ON previous_tokens (endpoint);
--> statement-breakpoint
CREATE UNIQUE INDEX invitations_by_id ON invitations (id);
--> statement-breakpoint
CREATE UNIQUE INDEX test_secrets ON secrets (endpoint, platform) WHERE is_test = 1;
--> statement-breakpoint
CREATE TABLE key_logins (
  hash        BLOB PRIMARY KEY,
  account_id  TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  session_id  TEXT NOT NULL,
  name        TEXT NOT NULL,
  port        INTEGER NOT NULL,
  state       TEXT NOT NULL,
  challenge   TEXT NOT NULL,
  expires_at  INTEGER NOT NULL,
  approved_at INTEGER,
  fails       INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX key_logins_by_account ON key_logins (account_id);
--> statement-breakpoint
CREATE TABLE answers (
  version    INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint   INTEGER NOT NULL UNIQUE REFERENCES endpoints (seq) ON DELETE CASCADE,
  rules      BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE outcomes (
  event       INTEGER PRIMARY KEY,
  endpoint    INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  status      INTEGER,
  rule        TEXT,
  delay_ms    INTEGER NOT NULL,
  fault       TEXT,
  limited     INTEGER NOT NULL,
  refused     INTEGER
) STRICT;
--> statement-breakpoint
CREATE INDEX outcomes_by_time ON outcomes (endpoint, received_at, event);
--> statement-breakpoint
CREATE TABLE sequences (
  version  INTEGER NOT NULL REFERENCES answers (version) ON DELETE CASCADE,
  slot     INTEGER NOT NULL,
  delivery INTEGER NOT NULL,
  n        INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  event    INTEGER NOT NULL,
  PRIMARY KEY (version, slot, delivery, n)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX sequences_by_event ON sequences (event) WHERE delivery >= 0;
--> statement-breakpoint
CREATE UNIQUE INDEX endpoints_by_declared_name ON endpoints (team_id, declared_name)
  WHERE declared_name IS NOT NULL AND deleted_at IS NULL;
--> statement-breakpoint
CREATE TABLE queues (
  seq       INTEGER PRIMARY KEY AUTOINCREMENT,
  kind      TEXT NOT NULL,
  owner     TEXT NOT NULL,
  next_at   INTEGER,
  paused_at INTEGER,
  holder    TEXT,
  beats     INTEGER NOT NULL DEFAULT 0
, team_id TEXT) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX queues_by_owner ON queues (kind, owner);
--> statement-breakpoint
CREATE INDEX queues_due ON queues (next_at) WHERE next_at IS NOT NULL AND paused_at IS NULL;
--> statement-breakpoint
CREATE TABLE queue_items (
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  queue    INTEGER NOT NULL REFERENCES queues (seq) ON DELETE CASCADE,
  event    INTEGER,
  nonce    BLOB,
  lane     BLOB,
  due_at   INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  outcome  TEXT,
  status   INTEGER,
  error    TEXT,
  detail   BLOB,
  added_at INTEGER NOT NULL
, errors INTEGER NOT NULL DEFAULT 0) STRICT;
--> statement-breakpoint
CREATE INDEX queue_items_due ON queue_items (queue, due_at, seq) WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX queue_items_by_lane ON queue_items (queue, lane, seq) WHERE lane IS NOT NULL AND outcome IS NULL;
--> statement-breakpoint
CREATE INDEX queue_items_by_outcome ON queue_items (queue, outcome, seq);
--> statement-breakpoint
CREATE TABLE audit (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL,
  team_id     TEXT,
  at          INTEGER NOT NULL,
  actor_id    TEXT,
  actor_email TEXT,
  via         TEXT NOT NULL,
  action      TEXT NOT NULL,
  target_type TEXT NOT NULL,
  target_id   TEXT NOT NULL
, endpoint_id TEXT, details TEXT) STRICT;
--> statement-breakpoint
CREATE INDEX audit_by_team ON audit (team_id, seq);
--> statement-breakpoint
CREATE TABLE replay_jobs (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL,
  team_id      TEXT NOT NULL,
  endpoint     INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  account_id   TEXT NOT NULL,
  filter       BLOB NOT NULL,
  dest         BLOB NOT NULL,
  dest2        BLOB,
  ignored      BLOB NOT NULL,
  compared     BLOB NOT NULL,
  pace         TEXT,
  concurrency  INTEGER NOT NULL,
  skip_ok      INTEGER NOT NULL,
  stop_after   INTEGER,
  sign         TEXT,
  state        TEXT NOT NULL CHECK (state IN ('running', 'paused', 'done', 'cancelled')),
  matched      INTEGER,
  bytes        INTEGER NOT NULL,
  failed_at_resume INTEGER NOT NULL DEFAULT 0,
  created_at   INTEGER NOT NULL,
  finished_at  INTEGER
, per TEXT NOT NULL DEFAULT 'event') STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX replay_jobs_by_id ON replay_jobs (id);
--> statement-breakpoint
CREATE INDEX replay_jobs_by_team ON replay_jobs (team_id, seq);
--> statement-breakpoint
CREATE TABLE job_destinations (
  team_id TEXT NOT NULL,
  dest    BLOB NOT NULL,
  job     TEXT NOT NULL REFERENCES replay_jobs (id) ON DELETE CASCADE
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX job_destinations_by_team ON job_destinations (team_id, dest);
--> statement-breakpoint
CREATE INDEX job_destinations_by_job ON job_destinations (job);
--> statement-breakpoint
CREATE TABLE job_answers (
  item    INTEGER PRIMARY KEY REFERENCES queue_items (seq) ON DELETE CASCADE,
  until   INTEGER NOT NULL,
  content BLOB NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX job_answers_by_time ON job_answers (until);
--> statement-breakpoint
CREATE TABLE alerts (
  seq             INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT NOT NULL,
  endpoint        INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  name            TEXT NOT NULL,
  kind            TEXT NOT NULL CHECK (kind IN ('silence', 'bad_signatures', 'new_type', 'schema_change', 'forward_stuck')),
  filter          BLOB NOT NULL,
  minutes         INTEGER,
  count           INTEGER,
  channel_type    TEXT NOT NULL CHECK (channel_type IN ('email', 'slack', 'discord', 'ntfy', 'webhook')),
  channel         BLOB NOT NULL,
  enabled         INTEGER NOT NULL,
  position        INTEGER NOT NULL,
  state           BLOB NOT NULL,
  firing            INTEGER NOT NULL DEFAULT 0,
  changed_at      INTEGER,
  last_sent_at    INTEGER,
  last_error      TEXT,
  created_at      INTEGER NOT NULL
, due_at INTEGER DEFAULT -1) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX alerts_by_id ON alerts (id);
--> statement-breakpoint
CREATE INDEX alerts_by_endpoint ON alerts (endpoint);
--> statement-breakpoint
CREATE TABLE forwards (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL,
  endpoint      INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  account_id    TEXT,
  name          BLOB NOT NULL,
  url           BLOB NOT NULL,
  filter        BLOB NOT NULL,
  mode          TEXT NOT NULL CHECK (mode IN ('parallel', 'ordered')),
  order_by      BLOB,
  headers       BLOB NOT NULL,
  timeout_s     INTEGER NOT NULL,
  retry         TEXT NOT NULL,
  per           TEXT NOT NULL CHECK (per IN ('event', 'delivery')),
  enabled       INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  declared      INTEGER NOT NULL DEFAULT 0 CHECK (declared IN (0, 1)),
  since         INTEGER NOT NULL,
  position      INTEGER NOT NULL,
  failures      INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  probe_at      INTEGER,
  created_at    INTEGER NOT NULL
, sign TEXT NOT NULL DEFAULT 'as-captured' CHECK (sign IN ('as-captured', 'fresh', 'own')), request TEXT, secret BLOB) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX forwards_by_id ON forwards (id);
--> statement-breakpoint
CREATE INDEX forwards_by_endpoint ON forwards (endpoint, seq);
--> statement-breakpoint
CREATE INDEX queue_items_open ON queue_items (queue, (attempts > 0), seq) WHERE outcome IS NULL;
--> statement-breakpoint
CREATE INDEX queue_items_by_event ON queue_items (event, queue) WHERE event IS NOT NULL;
--> statement-breakpoint
CREATE INDEX alerts_due ON alerts (due_at) WHERE enabled = 1;
--> statement-breakpoint
CREATE TRIGGER alerts_wake_by_pause AFTER UPDATE OF paused_at ON endpoints
  WHEN (OLD.paused_at IS NULL) <> (NEW.paused_at IS NULL) BEGIN
    UPDATE alerts SET due_at = min(ifnull(due_at, 0), 0) - 1 WHERE endpoint = NEW.seq;
  END;
--> statement-breakpoint
CREATE TRIGGER alerts_wake_by_type AFTER INSERT ON schemas BEGIN
    UPDATE alerts SET due_at = min(ifnull(due_at, 0), 0) - 1 WHERE endpoint = NEW.endpoint AND kind = 'new_type';
  END;
--> statement-breakpoint
CREATE TRIGGER alerts_wake_by_schema_change AFTER INSERT ON schema_changes BEGIN
    UPDATE alerts SET due_at = min(ifnull(due_at, 0), 0) - 1 WHERE endpoint = NEW.endpoint AND kind = 'schema_change';
  END;
--> statement-breakpoint
CREATE TRIGGER alerts_wake_by_forward AFTER UPDATE OF failing_since, enabled ON forwards
  WHEN OLD.failing_since IS NOT NEW.failing_since OR OLD.enabled <> NEW.enabled BEGIN
    UPDATE alerts SET due_at = min(ifnull(due_at, 0), 0) - 1 WHERE endpoint = NEW.endpoint AND kind = 'forward_stuck';
  END;
--> statement-breakpoint
CREATE TRIGGER alerts_wake_by_removed_forward AFTER DELETE ON forwards BEGIN
    UPDATE alerts SET due_at = min(ifnull(due_at, 0), 0) - 1 WHERE endpoint = OLD.endpoint AND kind = 'forward_stuck';
  END;
--> statement-breakpoint
CREATE INDEX queues_held ON queues (holder) WHERE holder IS NOT NULL;
--> statement-breakpoint
CREATE TRIGGER endpoints_added AFTER INSERT ON endpoints BEGIN
  UPDATE teams SET version = version + 1 WHERE id = NEW.team_id;
END;
--> statement-breakpoint
CREATE TRIGGER endpoints_changed AFTER UPDATE ON endpoints BEGIN
  UPDATE teams SET version = version + 1 WHERE id = NEW.team_id;
END;
--> statement-breakpoint
CREATE TRIGGER previous_tokens_added AFTER INSERT ON previous_tokens BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER previous_tokens_changed AFTER UPDATE ON previous_tokens BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER previous_tokens_removed AFTER DELETE ON previous_tokens BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = OLD.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER answers_added AFTER INSERT ON answers BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER answers_removed AFTER DELETE ON answers BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = OLD.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER pins_added AFTER INSERT ON pins BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER pins_removed AFTER DELETE ON pins BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = OLD.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER alerts_added AFTER INSERT ON alerts BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER alerts_changed AFTER UPDATE OF name, enabled, firing ON alerts
WHEN OLD.name <> NEW.name OR OLD.enabled <> NEW.enabled OR OLD.firing <> NEW.firing BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER alerts_removed AFTER DELETE ON alerts BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = OLD.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER forwards_changed AFTER UPDATE OF name, enabled, failures, failing_since, probe_at ON forwards
WHEN OLD.name <> NEW.name OR OLD.enabled <> NEW.enabled
  OR (OLD.failures > 0 AND OLD.probe_at IS NOT NULL) <> (NEW.failures > 0 AND NEW.probe_at IS NOT NULL) BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER forwards_removed AFTER DELETE ON forwards BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = OLD.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER given_up_changed AFTER UPDATE OF outcome ON queue_items
WHEN OLD.outcome IS 'given_up' OR NEW.outcome IS 'given_up' BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM queues WHERE seq = NEW.queue);
END;
--> statement-breakpoint
CREATE TRIGGER given_up_removed AFTER DELETE ON queue_items WHEN OLD.outcome = 'given_up' BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM queues WHERE seq = OLD.queue);
END;
--> statement-breakpoint
CREATE INDEX endpoints_paused ON endpoints (team_id) WHERE paused_at IS NOT NULL AND deleted_at IS NULL;
--> statement-breakpoint
CREATE INDEX alerts_firing ON alerts (endpoint) WHERE enabled AND firing;
--> statement-breakpoint
CREATE INDEX forwards_down ON forwards (endpoint) WHERE enabled AND failures > 0 AND probe_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX queue_items_given_up ON queue_items (queue) WHERE outcome = 'given_up';
--> statement-breakpoint
CREATE INDEX block_signatures_without_values ON block_signatures (block) WHERE length(value_filter) = 0;
--> statement-breakpoint
CREATE TABLE invalid_signatures (
  event       INTEGER PRIMARY KEY,
  endpoint    INTEGER NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX invalid_signatures_by_time ON invalid_signatures (endpoint, received_at);
--> statement-breakpoint
CREATE INDEX outcomes_failed ON outcomes (endpoint, received_at)
WHERE refused IS NOT NULL OR status IS NULL OR status NOT BETWEEN 200 AND 299;
--> statement-breakpoint
CREATE INDEX audit_by_endpoint ON audit (endpoint_id, at, seq) WHERE endpoint_id IS NOT NULL;
--> statement-breakpoint
CREATE TABLE forward_stats (
  forward  INTEGER NOT NULL REFERENCES forwards (seq) ON DELETE CASCADE,
  minutes  INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  bucket   INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  PRIMARY KEY (forward, minutes, at, bucket)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE totps (
  account_id   TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  secret       BLOB NOT NULL,
  created_at   INTEGER NOT NULL,
  confirmed_at INTEGER,
  last_step    INTEGER
) STRICT;
--> statement-breakpoint
CREATE TABLE recovery_codes (
  account_id TEXT NOT NULL REFERENCES totps (account_id) ON DELETE CASCADE,
  hash       BLOB NOT NULL,
  PRIMARY KEY (account_id, hash)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE oidc_bindings (
  issuer     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject),
  UNIQUE (account_id, issuer)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE passkeys (
  id            TEXT PRIMARY KEY,
  account_id    TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  credential_id BLOB NOT NULL UNIQUE,
  public_key    BLOB NOT NULL,
  counter       INTEGER NOT NULL,
  transports    TEXT NOT NULL,
  name          TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  last_used_at  INTEGER
) STRICT;
--> statement-breakpoint
CREATE INDEX passkeys_by_account ON passkeys (account_id);
--> statement-breakpoint
CREATE TABLE sign_in_links (
  hash       BLOB PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE alert_changes (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL,
  endpoint   INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  alert_id   TEXT NOT NULL,
  alert_name TEXT NOT NULL,
  kind       TEXT NOT NULL,
  firing     INTEGER NOT NULL,
  text       TEXT NOT NULL,
  at         INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX alert_changes_by_endpoint ON alert_changes (endpoint, seq);
--> statement-breakpoint
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
CREATE TABLE mcp_callbacks (
  app_id      TEXT NOT NULL REFERENCES connected_apps (id) ON DELETE CASCADE,
  url_hash    BLOB NOT NULL,
  verified_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, url_hash)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE redaction_rules (
  version    INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint   INTEGER NOT NULL UNIQUE REFERENCES endpoints (seq) ON DELETE CASCADE,
  redaction  BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE redactions (
  event       INTEGER PRIMARY KEY,
  endpoint    INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  rules       INTEGER NOT NULL,
  fields      TEXT NOT NULL,
  sha256      TEXT
) STRICT;
--> statement-breakpoint
CREATE INDEX redactions_by_time ON redactions (endpoint, received_at, event);
--> statement-breakpoint
CREATE TABLE erasures (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL UNIQUE,
  team_id     TEXT NOT NULL,
  endpoint    INTEGER,
  state       TEXT NOT NULL CHECK (state IN ('searching', 'deleting', 'done', 'failed')),
  dry_run     INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
  actor       BLOB NOT NULL,
  text_hash   TEXT,
  found       BLOB NOT NULL,
  files       BLOB NOT NULL DEFAULT x'5B5D',
  changed     INTEGER NOT NULL DEFAULT 0,
  holder      TEXT NOT NULL,
  beats       INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX erasures_unfinished ON erasures (team_id) WHERE state IN ('searching', 'deleting');
--> statement-breakpoint
CREATE TABLE erasure_targets (
  job    INTEGER NOT NULL,
  kind   INTEGER NOT NULL,
  target INTEGER NOT NULL,
  PRIMARY KEY (job, kind, target)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE erased_deliveries (
  hash       BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO meta (name, value) VALUES ('database-id', randomblob(16)), ('alert-clock', x'30'), ('alert-events', x'30'), ('schemas-read-up-to', x'30'), ('storage-alert', x'6F6B');
--> statement-breakpoint
PRAGMA user_version = 40;
