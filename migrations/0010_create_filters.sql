-- Filters that a team has saved for an endpoint. `filter`: in the filter language, as written.
CREATE TABLE filters (
  id         TEXT PRIMARY KEY,
  endpoint   INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  name       TEXT NOT NULL,
  filter     BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX filters_by_endpoint ON filters (endpoint, created_at);
