-- A secret that was made to sign test events: one of each platform in an endpoint.
ALTER TABLE secrets ADD COLUMN is_test INTEGER NOT NULL DEFAULT 0;
--> statement-breakpoint
CREATE UNIQUE INDEX test_secrets ON secrets (endpoint, platform) WHERE is_test = 1;
