-- `request`: what was sent (JSON, see core/replay/kept-request.ts); NULL for earlier attempts and for those that listeners report.
-- `forward`: the row number of the forward that sent it. `attempts`: how many it took. NULL for others and for earlier attempts.
ALTER TABLE replays ADD COLUMN request BLOB;
--> statement-breakpoint
ALTER TABLE replays ADD COLUMN forward INTEGER;
--> statement-breakpoint
ALTER TABLE replays ADD COLUMN attempts INTEGER;
