-- Work that must survive a restart: one queue for each replay job, forward and alert. `owner` is the id of what it belongs to.
-- `next_at`: when an item is due at the earliest, as far as known; NULL when none is. It may be too early, never too late.
-- `holder` is the process that works on the queue, and `beats` grows while it lives. Both are compared, never read as times.
CREATE TABLE queues (
  seq       INTEGER PRIMARY KEY AUTOINCREMENT,
  kind      TEXT NOT NULL,
  owner     TEXT NOT NULL,
  next_at   INTEGER,
  paused_at INTEGER,
  holder    TEXT,
  beats     INTEGER NOT NULL DEFAULT 0
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX queues_by_owner ON queues (kind, owner);
--> statement-breakpoint
CREATE INDEX queues_due ON queues (next_at) WHERE next_at IS NOT NULL AND paused_at IS NULL;
--> statement-breakpoint
-- `event` and `nonce`: the event, which may be gone; NULL for work without one.
-- `lane`: of the items with the same lane, one at a time is worked on, in the order of `seq`. From outside, so a BLOB.
-- `due_at`: NULL while an earlier item of its lane is open, and once it is settled.
-- `outcome`: how it was settled, in the words of the queue's kind; NULL while it is open.
CREATE TABLE queue_items (
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  queue    INTEGER NOT NULL REFERENCES queues (seq) ON DELETE CASCADE,
  event    INTEGER,
  nonce    BLOB,
  lane     BLOB,
  due_at   INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  outcome  TEXT,
  status   INTEGER,
  error    TEXT,
  detail   BLOB,
  added_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX queue_items_due ON queue_items (queue, due_at, seq) WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX queue_items_by_lane ON queue_items (queue, lane, seq) WHERE lane IS NOT NULL AND outcome IS NULL;
--> statement-breakpoint
CREATE INDEX queue_items_by_outcome ON queue_items (queue, outcome, seq);
