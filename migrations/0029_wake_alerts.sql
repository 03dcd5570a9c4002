-- An alert is checked only when it is due. `due_at`: a time of the alert clock; NULL until something wakes the alert. To wake it,
-- `due_at` is counted down below 0, so that each wake changes the value and a check that runs at the same time cannot overwrite it.
ALTER TABLE alerts ADD COLUMN due_at INTEGER DEFAULT -1;
--> statement-breakpoint
CREATE INDEX alerts_due ON alerts (due_at) WHERE enabled = 1;
--> statement-breakpoint
-- Silence does not count while an endpoint is paused. `pausedSince`: when a check first found it paused.
UPDATE alerts SET state = CAST(json_set(CAST(state AS TEXT), '$.pausedSince', NULL) AS BLOB)
  WHERE json_valid(CAST(state AS TEXT));
--> statement-breakpoint
-- The row number up to which events have woken the alerts of their endpoints. All alerts are due now.
INSERT INTO meta (name, value)
  VALUES ('alert-events', CAST(CAST(ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) AS TEXT) AS BLOB));
--> statement-breakpoint
CREATE TRIGGER alerts_wake_by_pause AFTER UPDATE OF paused_at ON endpoints
  WHEN (OLD.paused_at IS NULL) <> (NEW.paused_at IS NULL) BEGIN
    UPDATE alerts SET due_at = min(ifnull(due_at, 0), 0) - 1 WHERE endpoint = NEW.seq;
  END;
--> statement-breakpoint
CREATE TRIGGER alerts_wake_by_type AFTER INSERT ON schemas BEGIN
    UPDATE alerts SET due_at = min(ifnull(due_at, 0), 0) - 1 WHERE endpoint = NEW.endpoint AND kind = 'new_type';
  END;
--> statement-breakpoint
CREATE TRIGGER alerts_wake_by_schema_change AFTER INSERT ON schema_changes BEGIN
    UPDATE alerts SET due_at = min(ifnull(due_at, 0), 0) - 1 WHERE endpoint = NEW.endpoint AND kind = 'schema_change';
  END;
--> statement-breakpoint
CREATE TRIGGER alerts_wake_by_forward AFTER UPDATE OF failing_since, enabled ON forwards
  WHEN OLD.failing_since IS NOT NEW.failing_since OR OLD.enabled <> NEW.enabled BEGIN
    UPDATE alerts SET due_at = min(ifnull(due_at, 0), 0) - 1 WHERE endpoint = NEW.endpoint AND kind = 'forward_stuck';
  END;
--> statement-breakpoint
CREATE TRIGGER alerts_wake_by_removed_forward AFTER DELETE ON forwards BEGIN
    UPDATE alerts SET due_at = min(ifnull(due_at, 0), 0) - 1 WHERE endpoint = OLD.endpoint AND kind = 'forward_stuck';
  END;
--> statement-breakpoint
-- Heartbeats go to the queues of one process.
CREATE INDEX queues_held ON queues (holder) WHERE holder IS NOT NULL;
