-- Answers on purpose. The rules of an endpoint: JSON, as people wrote them. New rules get a new version.
CREATE TABLE answers (
  version    INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint   INTEGER NOT NULL UNIQUE REFERENCES endpoints (seq) ON DELETE CASCADE,
  rules      BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
-- What the senders of events got, and whether the guard refused them. Only of events for which it is not the default, so that others
-- cost nothing. status: null with a fault.
CREATE TABLE outcomes (
  event       INTEGER PRIMARY KEY,
  endpoint    INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  status      INTEGER,
  rule        TEXT,
  delay_ms    INTEGER NOT NULL,
  fault       TEXT,
  limited     INTEGER NOT NULL,
  refused     INTEGER
) STRICT;
--> statement-breakpoint
CREATE INDEX outcomes_by_time ON outcomes (endpoint, received_at, event);
--> statement-breakpoint
-- The newest steps of each sequence. slot: which sequence of the rules. delivery: the number of the delivery, -1 for all of the
-- endpoint. event: the one that made the step.
CREATE TABLE sequences (
  version  INTEGER NOT NULL REFERENCES answers (version) ON DELETE CASCADE,
  slot     INTEGER NOT NULL,
  delivery INTEGER NOT NULL,
  n        INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  event    INTEGER NOT NULL,
  PRIMARY KEY (version, slot, delivery, n)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX sequences_by_event ON sequences (event) WHERE delivery >= 0;
