-- What was changed, by whom and how. Only added to. `team_id`: NULL for what concerns the whole installation.
-- `actor_email`: as it was then; both are NULL for commands. Neither names nor secrets of what was changed are kept.
CREATE TABLE audit (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL,
  team_id     TEXT,
  at          INTEGER NOT NULL,
  actor_id    TEXT,
  actor_email TEXT,
  via         TEXT NOT NULL,
  action      TEXT NOT NULL,
  target_type TEXT NOT NULL,
  target_id   TEXT NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX audit_by_team ON audit (team_id, seq);
