-- `firing`: whether the last notification reported that the alert fired, as the API calls it. The states of alerts and their
-- queued notifications are JSON, whose fields get the names that the code uses.
ALTER TABLE alerts RENAME COLUMN told TO firing;
--> statement-breakpoint
UPDATE alerts SET state = CAST(replace(replace(replace(CAST(state AS TEXT),
  '"untold":', '"pending":'), '"toldAt":', '"notifiedAt":'), '"news":', '"items":') AS BLOB);
--> statement-breakpoint
UPDATE queue_items SET detail = CAST(replace(CAST(detail AS TEXT), '"news":', '"items":') AS BLOB)
  WHERE detail IS NOT NULL AND queue IN (SELECT seq FROM queues WHERE kind = 'alert');
