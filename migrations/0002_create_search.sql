-- The search index: trigrams of each event's texts (core/search-grams.ts), rowid = events.seq. It keeps neither the texts nor
-- positions; the body decides. Text arrives folded, so the tokenizer must not fold again.
CREATE VIRTUAL TABLE events_search USING fts5(
  trigrams, tokenize = 'trigram case_sensitive 1', detail = none, content = '', contentless_delete = 1
);
--> statement-breakpoint
-- Merging is done by the indexer, in slices of its own: FTS5's automatic merges would hold the writer for 50 ms and more.
INSERT INTO events_search (events_search, rank) VALUES ('automerge', 0);
--> statement-breakpoint
INSERT INTO events_search (events_search, rank) VALUES ('crisismerge', 1000);
--> statement-breakpoint
INSERT INTO events_search (events_search, rank) VALUES ('usermerge', 8);
--> statement-breakpoint
INSERT INTO events_search (events_search, rank) VALUES ('pgsz', 8100);
--> statement-breakpoint
-- Whoever deletes an event, its index entry goes in the same transaction.
CREATE TRIGGER events_search_forget AFTER DELETE ON events BEGIN
  DELETE FROM events_search WHERE rowid = OLD.seq;
END;
--> statement-breakpoint
-- Every event up to this row number is in the index (decimal digits).
INSERT INTO meta (name, value) VALUES ('search-watermark', x'30');
