-- Changes of the state of alerts, for agents, which read them in the order of `seq`. A change outlives its alert. After 30 days it is
-- removed, but each endpoint keeps its newest removed one, which shows readers that they missed some. `text` is on lines of plain text.
CREATE TABLE alert_changes (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL,
  endpoint   INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  alert_id   TEXT NOT NULL,
  alert_name TEXT NOT NULL,
  kind       TEXT NOT NULL,
  firing     INTEGER NOT NULL,
  text       TEXT NOT NULL,
  at         INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX alert_changes_by_endpoint ON alert_changes (endpoint, seq);
