-- How often in a row the server's own code failed at the item, so that such an item is not tried without end.
ALTER TABLE queue_items ADD COLUMN errors INTEGER NOT NULL DEFAULT 0;
