-- Events are stored in blocks: the contents of several events of one endpoint, compressed together (core/event-block.ts).
-- `first_event`, `last_event`: the row numbers between which all its events lie, also after some of them were deleted.
-- `events`: how many events are still in it; the block goes with the last one. `bytes`: its size before compression.
-- `checksum`: of the contents before compression. `encoding` of `content`: 0 plain, 1 zstd.
-- `signature`: what it can contain, for search; null until it is made.
CREATE TABLE blocks (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint    INTEGER NOT NULL,
  first_event INTEGER NOT NULL,
  last_event  INTEGER NOT NULL,
  events      INTEGER NOT NULL,
  bytes       INTEGER NOT NULL,
  encoding    INTEGER NOT NULL,
  checksum    BLOB NOT NULL,
  signature   BLOB,
  content     BLOB NOT NULL
) STRICT;
--> statement-breakpoint
-- Those that the packer may join.
CREATE INDEX blocks_small ON blocks (endpoint, first_event, bytes) WHERE bytes < 32768;
--> statement-breakpoint
-- Null: the content is in the row itself, as in 1.0.
ALTER TABLE events ADD COLUMN block INTEGER;
--> statement-breakpoint
-- Where the event begins in the block before compression.
ALTER TABLE events ADD COLUMN block_start INTEGER;
--> statement-breakpoint
-- Rows of 1.0 lie after the one row number and up to the other; the packer moves the first on.
INSERT INTO meta (name, value)
SELECT 'rows-to-pack', CAST(json_object('after', min(seq) - 1, 'upTo', max(seq)) AS BLOB) FROM events HAVING max(seq) IS NOT NULL;
--> statement-breakpoint
-- Ties the capture journal, which is beside the file, to this database.
INSERT OR IGNORE INTO meta (name, value) VALUES ('database-id', randomblob(16));
