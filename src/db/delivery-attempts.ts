/*
 * The table that finds the attempts of a delivery (core/ids/delivery-key.ts): a row for each event whose delivery number is
 * computed, inserted and removed in the transaction of its event. Raw SQL, because Drizzle has no INSERT ... SELECT with ORDER
 * BY and no row values.
 */

/** A bucket has the attempts of 2^14 row numbers: about 18 pages, so that the inserts of a transaction touch only these. */
export const bucketBits = 14;

/** The bucket of an event. @param event an SQL expression */
export const bucketOf = (event: string): string => `${event} >> ${bucketBits}`;

/** Registers events in order, so that most inserts are next to the previous one. @param first, last SQL expressions */
export const insertAttemptsSql = (first: string, last: string): string =>
  `INSERT OR IGNORE INTO delivery_attempts (bucket, delivery, event)
   SELECT ${bucketOf('seq')} AS bucket, delivery, seq FROM events
   WHERE seq BETWEEN ${first} AND ${last} AND delivery IS NOT NULL ORDER BY bucket, delivery`;

/** The attempts of these events. @param seqs a query of their row numbers */
export const removeAttemptsSql = (seqs: string): string =>
  `DELETE FROM delivery_attempts WHERE (bucket, delivery, event) IN
   (SELECT ${bucketOf('seq')}, delivery, seq FROM events WHERE seq IN (${seqs}) AND delivery IS NOT NULL)`;
