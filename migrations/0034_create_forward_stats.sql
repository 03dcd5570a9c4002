-- How many attempts of a forward ended in a period of 1 or 60 `minutes` that began `at` (epoch minutes): each attempt counts in one of
-- each length, so that a long range is read from few rows. `bucket`: -1 for those that failed, else the logarithmic bucket of the
-- duration (features/forwards/stats.ts).
CREATE TABLE forward_stats (
  forward  INTEGER NOT NULL REFERENCES forwards (seq) ON DELETE CASCADE,
  minutes  INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  bucket   INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  PRIMARY KEY (forward, minutes, at, bucket)
) STRICT, WITHOUT ROWID;
