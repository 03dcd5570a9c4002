-- Of which attempts of a delivery a job has events: 'event' is all of them, 'delivery' the newest.
ALTER TABLE replay_jobs ADD COLUMN per TEXT NOT NULL DEFAULT 'event';
