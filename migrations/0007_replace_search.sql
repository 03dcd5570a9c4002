-- A signature says which texts the events of a block can have (core/block-signature.ts). `newest`, `oldest`: their times of receipt.
-- `facts`: about their columns (core/block-facts.ts). `facts` and `filter` are empty when they exclude nothing; `bytes`: of the block before compression. A block has its signature here or, when it is older, in a run.
CREATE TABLE block_signatures (
  block      INTEGER PRIMARY KEY,
  endpoint   INTEGER NOT NULL,
  newest     INTEGER NOT NULL,
  oldest     INTEGER NOT NULL,
  last_event INTEGER NOT NULL,
  bytes      INTEGER NOT NULL,
  facts      BLOB NOT NULL DEFAULT x'',
  filter     BLOB NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX block_signatures_by_time ON block_signatures (endpoint, newest, last_event, oldest);
--> statement-breakpoint
-- Full blocks are not packed again, so their signatures can be put into runs.
CREATE INDEX block_signatures_of_full ON block_signatures (endpoint, newest) WHERE bytes BETWEEN 32768 AND 65536;
--> statement-breakpoint
-- Whoever deletes a block, its signature goes in the same transaction.
CREATE TRIGGER blocks_forget_signature AFTER DELETE ON blocks BEGIN
  DELETE FROM block_signatures WHERE block = OLD.seq;
END;
--> statement-breakpoint
-- The signatures of many blocks of an endpoint, bit-sliced (core/bit-slices.ts). `newest`, `last_event`: of the newest block. `oldest`: of
-- the oldest event. `blocks`: the blocks that it was made from, of which some may be gone since. `state`: 0 being made, 1 in use, 2 in use and the
-- signatures that it replaces are deleted, 3 out of use and being deleted.
CREATE TABLE signature_runs (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint     INTEGER NOT NULL,
  state        INTEGER NOT NULL,
  newest       INTEGER NOT NULL,
  oldest       INTEGER NOT NULL,
  last_event   INTEGER NOT NULL,
  filter_bytes INTEGER NOT NULL,
  blocks       BLOB NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX signature_runs_by_endpoint ON signature_runs (endpoint);
--> statement-breakpoint
CREATE INDEX signature_runs_unfinished ON signature_runs (state) WHERE state <> 2;
--> statement-breakpoint
-- The slices of 4 bytes of the filters, then of the facts; `seq` is the run's number times 2048, and which 4 bytes.
CREATE TABLE signature_slices (
  seq    INTEGER PRIMARY KEY,
  slices BLOB NOT NULL
) STRICT;
--> statement-breakpoint
-- The index of 1.0. Its tables are emptied and dropped in the background, because that takes a while.
DROP TRIGGER events_search_forget;
--> statement-breakpoint
DELETE FROM meta WHERE name = 'search-watermark';
--> statement-breakpoint
-- Rows of 1.0 have no signatures until they are packed into blocks (`rows-to-pack`). None of them is newer than this (epoch ms).
INSERT INTO meta (name, value)
SELECT 'rows-to-pack-newest', CAST(CAST(newest AS TEXT) AS BLOB)
FROM (SELECT max(last_received_at) AS newest FROM endpoints) WHERE newest IS NOT NULL;
