-- Replay jobs. Their events are the items of the queue of kind 'replay' whose owner is `id`.
-- `matched`: NULL while the events are being put into the queue. `filter`, `dest`, `dest2`, `ignored`, `compared` come from outside.
-- `ignored`, `compared`: JSON lists. `sign`: JSON without a secret, or NULL.
CREATE TABLE replay_jobs (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL,
  team_id      TEXT NOT NULL,
  endpoint     INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  account_id   TEXT NOT NULL,
  filter       BLOB NOT NULL,
  dest         BLOB NOT NULL,
  dest2        BLOB,
  ignored      BLOB NOT NULL,
  compared     BLOB NOT NULL,
  pace         TEXT,
  concurrency  INTEGER NOT NULL,
  skip_ok      INTEGER NOT NULL,
  stop_after   INTEGER,
  sign         TEXT,
  state        TEXT NOT NULL CHECK (state IN ('running', 'paused', 'done', 'cancelled')),
  matched      INTEGER,
  bytes        INTEGER NOT NULL,
  failed_at_resume INTEGER NOT NULL DEFAULT 0,
  created_at   INTEGER NOT NULL,
  finished_at  INTEGER
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX replay_jobs_by_id ON replay_jobs (id);
--> statement-breakpoint
CREATE INDEX replay_jobs_by_team ON replay_jobs (team_id, seq);
--> statement-breakpoint
-- One job at a time sends to a destination: the destinations of jobs that are not over.
CREATE TABLE job_destinations (
  team_id TEXT NOT NULL,
  dest    BLOB NOT NULL,
  job     TEXT NOT NULL REFERENCES replay_jobs (id) ON DELETE CASCADE
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX job_destinations_by_team ON job_destinations (team_id, dest);
--> statement-breakpoint
CREATE INDEX job_destinations_by_job ON job_destinations (job);
--> statement-breakpoint
-- What the destinations answered to an item, until `until`: compressed JSON.
CREATE TABLE job_answers (
  item    INTEGER PRIMARY KEY REFERENCES queue_items (seq) ON DELETE CASCADE,
  until   INTEGER NOT NULL,
  content BLOB NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX job_answers_by_time ON job_answers (until);
