-- A key that a connected app made belongs to that app: NULL for a key that a person made. `grant_id` is NULL for an app of a
-- foreign issuer, which has no grant here.
ALTER TABLE api_keys ADD COLUMN app_id TEXT REFERENCES connected_apps (id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE api_keys ADD COLUMN grant_id TEXT REFERENCES oauth_grants (id) ON DELETE CASCADE;
--> statement-breakpoint
CREATE INDEX api_keys_by_app ON api_keys (app_id);
--> statement-breakpoint
CREATE INDEX api_keys_by_grant ON api_keys (grant_id);
--> statement-breakpoint
-- Whatever revokes a grant also ends the keys made with it, and the app's authorizations that are still under way.
CREATE TRIGGER oauth_grants_revoked AFTER UPDATE OF revoked_at ON oauth_grants
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  DELETE FROM api_keys WHERE grant_id = NEW.id;
  DELETE FROM oauth_codes WHERE used_grant IS NULL AND EXISTS (SELECT 1 FROM connected_apps a
    WHERE a.id = NEW.app_id AND a.account_id = oauth_codes.account_id AND a.client_id = oauth_codes.client_id);
  DELETE FROM authz_requests WHERE EXISTS (SELECT 1 FROM connected_apps a
    WHERE a.id = NEW.app_id AND a.account_id = authz_requests.account_id AND a.client_id = authz_requests.client_id);
END;
--> statement-breakpoint
CREATE TRIGGER connected_apps_revoked AFTER UPDATE OF revoked_at ON connected_apps
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  DELETE FROM api_keys WHERE app_id = NEW.id;
END;
