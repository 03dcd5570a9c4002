-- Codes, tokens, secrets and handles are here only as SHA-256. What a request brought (state) is BLOB, as in 0001.

-- `static`: put there by the operator; `dcr`: registered itself; `cimd`: the cached metadata document that its id names.
-- `redirect_uris` is a JSON array, `auth_methods` a space-separated list.
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
-- A person's connection with a client. `issuer` is '' for this server's own tokens. An app of a foreign issuer that was
-- revoked stays, with `revoked_at`, as the refusal of its tokens.
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
-- One consent. Every token names its grant, and is worth nothing without it.
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
-- Rotated tokens stay until their grant ends: without them a stolen one that comes back could not be told from garbage.
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
-- What a person is being asked: the hidden field of the consent form is the handle, all else is here.
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
-- Which account a foreign issuer's subject is: decided at first sight, never again by e-mail address.
CREATE TABLE external_subjects (
  issuer     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX external_subjects_by_account ON external_subjects (account_id);
