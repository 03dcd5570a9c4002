-- How an event was sent again: by whom, whether it was signed anew or edited, and the beginning of the answer (JSON, see
-- features/replays/kept-response.ts). Nothing recorded this for older attempts: they read as sent by the API, as they were captured.
ALTER TABLE replays ADD COLUMN via TEXT NOT NULL DEFAULT 'api'
  CHECK (via IN ('api', 'dashboard', 'mcp', 'listen', 'forward', 'job'));
--> statement-breakpoint
ALTER TABLE replays ADD COLUMN signed INTEGER NOT NULL DEFAULT 0 CHECK (signed IN (0, 1));
--> statement-breakpoint
ALTER TABLE replays ADD COLUMN edited INTEGER NOT NULL DEFAULT 0 CHECK (edited IN (0, 1));
--> statement-breakpoint
ALTER TABLE replays ADD COLUMN response BLOB;
--> statement-breakpoint
-- Whether the server may sign replays with it, and for which origins (a JSON list) besides loopback and allow-listed ones.
ALTER TABLE secrets ADD COLUMN may_sign INTEGER NOT NULL DEFAULT 0 CHECK (may_sign IN (0, 1));
--> statement-breakpoint
ALTER TABLE secrets ADD COLUMN destinations TEXT NOT NULL DEFAULT '[]';
