-- API keys that expire or only read.
ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
--> statement-breakpoint
ALTER TABLE api_keys ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0 CHECK (read_only IN (0, 1));
--> statement-breakpoint
-- A paused endpoint refuses deliveries; null: it takes them.
ALTER TABLE endpoints ADD COLUMN paused_at INTEGER;
--> statement-breakpoint
-- The tokens that an endpoint had before. Deliveries to one are taken until `until`; it is kept afterwards, because
-- signatures that cover the URL are verified with the URL of their time.
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
-- A name for an invitation that stays the same when its link is replaced.
ALTER TABLE invitations ADD COLUMN id TEXT NOT NULL DEFAULT '';
--> statement-breakpoint
UPDATE invitations SET id = 'inv_' || lower(hex(randomblob(16)));
--> statement-breakpoint
CREATE UNIQUE INDEX invitations_by_id ON invitations (id);
