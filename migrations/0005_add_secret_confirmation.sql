-- A secret that a handshake delivered is unconfirmed until a person confirms it: anybody could have sent it.
ALTER TABLE secrets ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 1 CHECK (confirmed IN (0, 1));
--> statement-breakpoint
-- 1: known to come from a handshake. Only such secrets, while unconfirmed, give way to newer ones: what an upgrade left to be
-- confirmed may have been registered by a person.
ALTER TABLE secrets ADD COLUMN learned INTEGER NOT NULL DEFAULT 0 CHECK (learned IN (0, 1));
--> statement-breakpoint
-- Nothing recorded where these came from, and only these two platforms' secrets were learned from handshakes.
UPDATE secrets SET confirmed = 0 WHERE platform IN ('asana', 'notion');
--> statement-breakpoint
-- Until then, the next secret that a handshake delivers is taken as confirmed (epoch ms).
ALTER TABLE endpoints ADD COLUMN learn_secrets_until INTEGER;
