-- An endpoint that a file declares: its name in the file, which fields the file gives (JSON), and whether the file made it, so that
-- it may go when the file no longer has it.
ALTER TABLE endpoints ADD COLUMN declared_name TEXT;
--> statement-breakpoint
ALTER TABLE endpoints ADD COLUMN declared_fields TEXT NOT NULL DEFAULT '[]';
--> statement-breakpoint
ALTER TABLE endpoints ADD COLUMN made_by_file INTEGER NOT NULL DEFAULT 0 CHECK (made_by_file IN (0, 1));
--> statement-breakpoint
CREATE UNIQUE INDEX endpoints_by_declared_name ON endpoints (team_id, declared_name)
  WHERE declared_name IS NOT NULL AND deleted_at IS NULL;
--> statement-breakpoint
-- A secret that a file gives, and that goes when the file no longer gives it.
ALTER TABLE secrets ADD COLUMN declared INTEGER NOT NULL DEFAULT 0 CHECK (declared IN (0, 1));
