-- When a person last signed in with this session. Unlike `created_at`, other ways to authenticate again may change it; a new password
-- and the use of the session never do.
ALTER TABLE sessions ADD COLUMN signed_in_at INTEGER NOT NULL DEFAULT 0;
--> statement-breakpoint
UPDATE sessions SET signed_in_at = created_at;
--> statement-breakpoint
-- The one-time codes of an account. `secret` is sealed. They are on once `confirmed_at` is set. `last_step`: the 30-second step of the
-- last code that was used; only codes of later steps are valid.
CREATE TABLE totps (
  account_id   TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  secret       BLOB NOT NULL,
  created_at   INTEGER NOT NULL,
  confirmed_at INTEGER,
  last_step    INTEGER
) STRICT;
--> statement-breakpoint
-- The SHA-256 of each unused recovery code.
CREATE TABLE recovery_codes (
  account_id TEXT NOT NULL REFERENCES totps (account_id) ON DELETE CASCADE,
  hash       BLOB NOT NULL,
  PRIMARY KEY (account_id, hash)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
-- The way in which the session began. `id_token`: of the OpenID Connect provider, sealed; its sign-out asks for it.
ALTER TABLE sessions ADD COLUMN way TEXT NOT NULL DEFAULT 'password';
--> statement-breakpoint
ALTER TABLE sessions ADD COLUMN id_token BLOB;
--> statement-breakpoint
-- The account at an OpenID Connect provider that an account is bound to. `subject` is the claim `sub`.
CREATE TABLE oidc_bindings (
  issuer     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject),
  UNIQUE (account_id, issuer)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
-- WebAuthn credentials. `counter` is what the authenticator last said; many always say 0. `transports` is a JSON array.
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
-- Links that sign an account in once. Only the SHA-256 of the token is stored.
CREATE TABLE sign_in_links (
  hash       BLOB PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
