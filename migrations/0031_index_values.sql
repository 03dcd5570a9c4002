-- Empty until the block is signed again. See core/blocks/value-filter.ts.
ALTER TABLE block_signatures ADD COLUMN value_filter BLOB NOT NULL DEFAULT x'';
--> statement-breakpoint
CREATE INDEX block_signatures_without_values ON block_signatures (block) WHERE length(value_filter) = 0;
--> statement-breakpoint
-- 0 for a run whose blocks are to be signed again.
ALTER TABLE signature_runs ADD COLUMN value_bytes INTEGER NOT NULL DEFAULT 0;
