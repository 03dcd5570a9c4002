-- How many attempts of a forward ended in a minute (epoch minutes). `bucket`: -1 for those that failed, else the logarithmic bucket of
-- the duration (features/forwards/stats.ts).
CREATE TABLE forward_stats (
  forward  INTEGER NOT NULL REFERENCES forwards (seq) ON DELETE CASCADE,
  minute   INTEGER NOT NULL,
  bucket   INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  PRIMARY KEY (forward, minute, bucket)
) STRICT, WITHOUT ROWID;
