-- Erasures of a text, and rules applied to stored events. A job in the state `deleting` goes on after a restart; the text is never
-- stored, so a job in the state `searching` cannot.
-- `found`: JSON, the endpoints with the numbers of their events. `actor`: JSON, who asked, for the audit log. `files`: JSON, names of
-- files to delete. `text_hash`: keyed. `holder`, `beats`: the process that works on it, and its sign of life.
CREATE TABLE erasures (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL UNIQUE,
  team_id     TEXT NOT NULL,
  endpoint    INTEGER,
  state       TEXT NOT NULL CHECK (state IN ('searching', 'deleting', 'done', 'failed')),
  dry_run     INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
  actor       BLOB NOT NULL,
  text_hash   TEXT,
  found       BLOB NOT NULL,
  files       BLOB NOT NULL DEFAULT x'5B5D',
  changed     INTEGER NOT NULL DEFAULT 0,
  holder      TEXT NOT NULL,
  beats       INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX erasures_unfinished ON erasures (team_id) WHERE state IN ('searching', 'deleting');
--> statement-breakpoint
-- What is left to do. `kind` 1: an event, 2: a block that still has what was deleted.
CREATE TABLE erasure_targets (
  job    INTEGER NOT NULL,
  kind   INTEGER NOT NULL,
  target INTEGER NOT NULL,
  PRIMARY KEY (job, kind, target)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
-- Keyed hashes of the GUIDs of erased deliveries, so that nobody fetches them again.
CREATE TABLE erased_deliveries (
  hash       BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
