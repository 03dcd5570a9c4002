-- The delivery that an event is an attempt of (core/delivery-key.ts); null for rows of 1.0 that are not packed yet.
ALTER TABLE events ADD COLUMN delivery INTEGER;
--> statement-breakpoint
-- Finds the attempts of a delivery. Its numbers are hashes: buckets of 16,384 consecutive row numbers (`event >> 14`) keep the inserts
-- of one transaction in a few pages. A table and not an index on `events`, which would read all rows of 1.0 when it is created.
CREATE TABLE delivery_attempts (
  bucket   INTEGER NOT NULL,
  delivery INTEGER NOT NULL,
  event    INTEGER NOT NULL,
  PRIMARY KEY (bucket, delivery, event)
) STRICT, WITHOUT ROWID;
