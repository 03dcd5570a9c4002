-- `request`: what was sent (JSON, see core/replay/kept-request.ts); NULL for earlier attempts and for those that listeners report.
-- `forward`: the row number of the forward that sent it. `attempts`: how many it took. NULL for others and for earlier attempts.
ALTER TABLE replays ADD COLUMN request BLOB;
--> statement-breakpoint
ALTER TABLE replays ADD COLUMN forward INTEGER;
--> statement-breakpoint
ALTER TABLE replays ADD COLUMN attempts INTEGER;
--> statement-breakpoint
-- The endpoint that an entry is about, and what the list of changes needs besides (JSON): the names of changed fields, and the name of
-- what was changed. Never a value.
ALTER TABLE audit ADD COLUMN endpoint_id TEXT;
--> statement-breakpoint
ALTER TABLE audit ADD COLUMN details TEXT;
--> statement-breakpoint
UPDATE audit SET endpoint_id = target_id WHERE target_type = 'endpoint';
--> statement-breakpoint
UPDATE audit SET endpoint_id = endpoints.id, details = json_object('name', CAST(forwards.name AS TEXT))
FROM forwards JOIN endpoints ON endpoints.seq = forwards.endpoint WHERE target_type = 'forward' AND target_id = forwards.id;
--> statement-breakpoint
UPDATE audit SET endpoint_id = endpoints.id, details = json_object('name', alerts.name)
FROM alerts JOIN endpoints ON endpoints.seq = alerts.endpoint WHERE target_type = 'alert' AND target_id = alerts.id;
--> statement-breakpoint
UPDATE audit SET endpoint_id = endpoints.id, details = json_object('name', secrets.platform)
FROM secrets JOIN endpoints ON endpoints.seq = secrets.endpoint WHERE target_type = 'secret' AND target_id = secrets.id;
--> statement-breakpoint
CREATE INDEX audit_by_endpoint ON audit (endpoint_id, at, seq) WHERE endpoint_id IS NOT NULL;
