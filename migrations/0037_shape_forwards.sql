-- `sign` gets a third choice. SQLite cannot change a CHECK, so the column is replaced.
ALTER TABLE forwards ADD COLUMN signed TEXT NOT NULL DEFAULT 'as-captured' CHECK (signed IN ('as-captured', 'fresh', 'own'));
--> statement-breakpoint
UPDATE forwards SET signed = sign;
--> statement-breakpoint
ALTER TABLE forwards DROP COLUMN sign;
--> statement-breakpoint
ALTER TABLE forwards RENAME COLUMN signed TO sign;
--> statement-breakpoint
-- `request`: JSON of the request that is sent instead of the event's; null for the event as it came. `secret`: sealed JSON of the
-- secrets that sign for `own`; null for a forward from before, until it is needed.
ALTER TABLE forwards ADD COLUMN request TEXT;
--> statement-breakpoint
ALTER TABLE forwards ADD COLUMN secret BLOB;
