-- What is known about the JSON bodies of each event type of an endpoint, merged from its events (core/schema/).
-- `platform`, `type`: empty for events without one. `count`: events that were read, `first_at` and `last_at` their times of receipt.
-- `shape`: compressed; it has no values but those of small enums.
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
-- `path` comes from outside. `event_id`: the event that showed the change; it may be gone.
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
-- The row number up to which events have been read.
INSERT INTO meta (name, value) VALUES ('schemas-read-up-to', CAST('0' AS BLOB));
