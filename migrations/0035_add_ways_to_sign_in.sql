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
