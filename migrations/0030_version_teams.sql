-- `version` grows with every change of what the list of endpoints and the overview show, so that a request can be answered "unchanged"
-- without reading the endpoints. What changes with time alone (retention, ends of overlaps) is not in it.
ALTER TABLE teams ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
--> statement-breakpoint
CREATE TRIGGER endpoints_added AFTER INSERT ON endpoints BEGIN
  UPDATE teams SET version = version + 1 WHERE id = NEW.team_id;
END;
--> statement-breakpoint
CREATE TRIGGER endpoints_changed AFTER UPDATE ON endpoints BEGIN
  UPDATE teams SET version = version + 1 WHERE id = NEW.team_id;
END;
--> statement-breakpoint
CREATE TRIGGER previous_tokens_added AFTER INSERT ON previous_tokens BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER previous_tokens_changed AFTER UPDATE ON previous_tokens BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER previous_tokens_removed AFTER DELETE ON previous_tokens BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = OLD.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER answers_added AFTER INSERT ON answers BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER answers_removed AFTER DELETE ON answers BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = OLD.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER pins_added AFTER INSERT ON pins BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER pins_removed AFTER DELETE ON pins BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = OLD.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER alerts_added AFTER INSERT ON alerts BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
-- Not for the progress of the evaluation, which is saved for each event.
CREATE TRIGGER alerts_changed AFTER UPDATE OF name, enabled, firing ON alerts
WHEN OLD.name <> NEW.name OR OLD.enabled <> NEW.enabled OR OLD.firing <> NEW.firing BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER alerts_removed AFTER DELETE ON alerts BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = OLD.endpoint);
END;
--> statement-breakpoint
-- Not for each failure, only when the destination goes down, comes back, or the forward itself is changed.
CREATE TRIGGER forwards_changed AFTER UPDATE OF name, enabled, failures, failing_since, probe_at ON forwards
WHEN OLD.name <> NEW.name OR OLD.enabled <> NEW.enabled
  OR (OLD.failures > 0 AND OLD.probe_at IS NOT NULL) <> (NEW.failures > 0 AND NEW.probe_at IS NOT NULL) BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = NEW.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER forwards_removed AFTER DELETE ON forwards BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM endpoints WHERE seq = OLD.endpoint);
END;
--> statement-breakpoint
CREATE TRIGGER given_up_changed AFTER UPDATE OF outcome ON queue_items
WHEN OLD.outcome IS 'given_up' OR NEW.outcome IS 'given_up' BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM queues WHERE seq = NEW.queue);
END;
--> statement-breakpoint
CREATE TRIGGER given_up_removed AFTER DELETE ON queue_items WHEN OLD.outcome = 'given_up' BEGIN
  UPDATE teams SET version = version + 1 WHERE id = (SELECT team_id FROM queues WHERE seq = OLD.queue);
END;
--> statement-breakpoint
-- The troubles of a team are found without looking at each of its endpoints.
CREATE INDEX endpoints_paused ON endpoints (team_id) WHERE paused_at IS NOT NULL AND deleted_at IS NULL;
--> statement-breakpoint
CREATE INDEX alerts_firing ON alerts (endpoint) WHERE enabled AND firing;
--> statement-breakpoint
CREATE INDEX forwards_down ON forwards (endpoint) WHERE enabled AND failures > 0 AND probe_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX queue_items_given_up ON queue_items (queue) WHERE outcome = 'given_up';
--> statement-breakpoint
CREATE INDEX events_invalid ON events (received_at, endpoint) WHERE instr(verdict, '"verdict":"invalid"') > 0;
