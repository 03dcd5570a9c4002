-- Named positions in the feeds of endpoints: a consumer has read the events up to the row number `position`. `version` changes with
-- every write; it is the ETag.
CREATE TABLE consumers (
  endpoint     INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  name         TEXT NOT NULL,
  position     INTEGER NOT NULL,
  version      TEXT NOT NULL,
  last_seen_at INTEGER NOT NULL,
  PRIMARY KEY (endpoint, name)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
-- The highest row number of an event that retention has removed: a reader that has not read so far has missed events.
ALTER TABLE endpoints ADD COLUMN swept_seq INTEGER NOT NULL DEFAULT 0;
