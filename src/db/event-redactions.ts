/*
 * What rules took out of an event, as parts of queries on `events`. The table name `events` is literal, because Drizzle omits the table
 * in a query on one table.
 */
import { sql } from 'drizzle-orm';
import type { Redacted } from '../core/redaction/model.ts';

/** What was taken out of a row of `events` as JSON, or null. */
export const redactedJson = '(SELECT json_array(rules, json(fields), sha256) FROM redactions WHERE event = events.seq)';
/** Whether something was taken out of a row of `events`. */
export const isRedacted = 'EXISTS (SELECT 1 FROM redactions WHERE event = events.seq)';

/** @param json the value of `redactedJson`: a text, or already parsed */
export function readRedacted(json: unknown): Redacted | null {
  if (json === null) return null;
  const [rules, fields, sha256] = (typeof json === 'string' ? JSON.parse(json) : json) as [
    Redacted['rules'],
    Redacted['fields'],
    Redacted['sha256'],
  ];
  return { rules, fields, sha256 };
}

/** A column of a query on `events`. */
export const redactedColumn = sql<Redacted | null>`${sql.raw(redactedJson)}`.mapWith(readRedacted);
