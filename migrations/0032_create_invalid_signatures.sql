-- Events whose signature was invalid with the secrets that were known when they were filed. It is never changed later. Events that were
-- imported, or filed before this table existed, are not in it. `endpoint` and `received_at` repeat the event's.
CREATE TABLE invalid_signatures (
  event       INTEGER PRIMARY KEY,
  endpoint    INTEGER NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX invalid_signatures_by_time ON invalid_signatures (endpoint, received_at);
--> statement-breakpoint
-- It replaces this index, whose condition was evaluated for every event.
DROP INDEX events_invalid;
--> statement-breakpoint
-- The events that were refused, or answered with anything but 2xx. The condition is `hasFailed` of db/event-outcomes.ts.
CREATE INDEX outcomes_failed ON outcomes (endpoint, received_at)
WHERE refused IS NOT NULL OR status IS NULL OR status NOT BETWEEN 200 AND 299;
