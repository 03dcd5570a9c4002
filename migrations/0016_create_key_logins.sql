-- Sign-ins of the command line: until it is approved, a row is what a page asks a person, and `hash` is of the handle in its form;
-- after that `hash` is of the code that can be turned into an API key once.
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
