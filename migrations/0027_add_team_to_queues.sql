-- Whose queue it is: teams share the places in which queues are worked on. NULL: no team's, or created by an earlier version.
ALTER TABLE queues ADD COLUMN team_id TEXT;
--> statement-breakpoint
UPDATE queues SET team_id = CASE kind
  WHEN 'replay' THEN (SELECT replay_jobs.team_id FROM replay_jobs WHERE replay_jobs.id = queues.owner)
  WHEN 'forward' THEN (SELECT endpoints.team_id FROM forwards JOIN endpoints ON endpoints.seq = forwards.endpoint
    WHERE forwards.id = queues.owner)
  WHEN 'alert' THEN (SELECT endpoints.team_id FROM alerts JOIN endpoints ON endpoints.seq = alerts.endpoint
    WHERE alerts.id = queues.owner)
END;
