-- Events that a person keeps: exempt from retention, optionally with a name that is unique in the endpoint.
-- `endpoint` and `received_at` repeat the event's, so that pinned events are found in the order of the list.
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
-- `position`: tags are shown in the order in which they were given.
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
-- How long the endpoint's events are kept, as written and in milliseconds; null: as long as the plan says.
ALTER TABLE endpoints ADD COLUMN retention TEXT;
--> statement-breakpoint
ALTER TABLE endpoints ADD COLUMN retention_ms INTEGER;
