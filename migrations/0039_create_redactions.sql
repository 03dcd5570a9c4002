-- What is taken out of the deliveries of an endpoint before they are stored: JSON, as people wrote it, with defaults filled in. New rules
-- get a new version.
CREATE TABLE redaction_rules (
  version    INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint   INTEGER NOT NULL UNIQUE REFERENCES endpoints (seq) ON DELETE CASCADE,
  redaction  BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
-- The events from which rules took something. rules: how many. fields: their names, a JSON list. sha256: of the body as it came, if it is
-- kept. `endpoint` and `received_at` repeat the event's.
CREATE TABLE redactions (
  event       INTEGER PRIMARY KEY,
  endpoint    INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  rules       INTEGER NOT NULL,
  fields      TEXT NOT NULL,
  sha256      TEXT
) STRICT;
--> statement-breakpoint
CREATE INDEX redactions_by_time ON redactions (endpoint, received_at, event);
