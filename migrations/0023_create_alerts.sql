-- Alerts: conditions of an endpoint that people want to hear of. Notifications are items of the queue of kind 'alert' whose owner is `id`.
-- `filter` comes from outside; empty for none. `channel`: sealed JSON of the URL, the address and the secret.
-- `position`: the last event, schema change or schema that was looked at, by row number.
-- Times in `state` are milliseconds of the alert clock (`meta`, 'alert-clock'), which stands still while no server runs; JSON.
-- `told`: 1 when the last notification said that the alert has fired.
CREATE TABLE alerts (
  seq             INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT NOT NULL,
  endpoint        INTEGER NOT NULL REFERENCES endpoints (seq) ON DELETE CASCADE,
  name            TEXT NOT NULL,
  kind            TEXT NOT NULL CHECK (kind IN ('silence', 'bad_signatures', 'new_type', 'schema_change', 'forward_stuck')),
  filter          BLOB NOT NULL,
  minutes         INTEGER,
  count           INTEGER,
  channel_type    TEXT NOT NULL CHECK (channel_type IN ('email', 'slack', 'discord', 'ntfy', 'webhook')),
  channel         BLOB NOT NULL,
  enabled         INTEGER NOT NULL,
  position        INTEGER NOT NULL,
  state           BLOB NOT NULL,
  told            INTEGER NOT NULL DEFAULT 0,
  changed_at      INTEGER,
  last_sent_at    INTEGER,
  last_error      TEXT,
  created_at      INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX alerts_by_id ON alerts (id);
--> statement-breakpoint
CREATE INDEX alerts_by_endpoint ON alerts (endpoint);
--> statement-breakpoint
-- The alert clock, and what the operator was told last about storage.
INSERT INTO meta (name, value) VALUES ('alert-clock', CAST('0' AS BLOB)), ('storage-alert', CAST('ok' AS BLOB));
