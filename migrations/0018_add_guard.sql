-- What an endpoint asks of its senders (JSON, see core/guard/model.ts), without the password and the token, which are sealed.
ALTER TABLE endpoints ADD COLUMN guard TEXT;
--> statement-breakpoint
ALTER TABLE endpoints ADD COLUMN guard_secrets BLOB;
