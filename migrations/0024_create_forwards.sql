-- Forwards. Their events that are not settled are items of the queue of kind 'forward' whose owner is `id`.
-- `name`, `url`, `filter`, `order_by` come from outside. `headers`: JSON, sealed, because there may be credentials among them.
-- `position`: all events of the endpoint up to this row number are in the queue, or are not meant to be. It is NOT NULL so that a
-- transaction fails that found another position than it began with. `since`: where it began.
-- `failures`, `failing_since`: how often in a row, and since when, the destination has failed; `probe_at`: it counts as down, and is
-- asked again then.
CREATE TABLE forwards (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL,
  endpoint      INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  account_id    TEXT,
  name          BLOB NOT NULL,
  url           BLOB NOT NULL,
  filter        BLOB NOT NULL,
  mode          TEXT NOT NULL CHECK (mode IN ('parallel', 'ordered')),
  order_by      BLOB,
  sign          TEXT NOT NULL CHECK (sign IN ('as-captured', 'fresh')),
  headers       BLOB NOT NULL,
  timeout_s     INTEGER NOT NULL,
  retry         TEXT NOT NULL,
  per           TEXT NOT NULL CHECK (per IN ('event', 'delivery')),
  enabled       INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  declared      INTEGER NOT NULL DEFAULT 0 CHECK (declared IN (0, 1)),
  since         INTEGER NOT NULL,
  position      INTEGER NOT NULL,
  failures      INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  probe_at      INTEGER,
  created_at    INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX forwards_by_id ON forwards (id);
--> statement-breakpoint
CREATE INDEX forwards_by_endpoint ON forwards (endpoint, seq);
--> statement-breakpoint
-- Open items that were not tried yet, and those that were.
CREATE INDEX queue_items_open ON queue_items (queue, (attempts > 0), seq) WHERE outcome IS NULL;
--> statement-breakpoint
CREATE INDEX queue_items_by_event ON queue_items (event, queue) WHERE event IS NOT NULL;
