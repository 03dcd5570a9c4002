/* What rules took out of an event, as parts of queries on `events`, whose name is literal (event-marks.ts). */
import { sql } from 'drizzle-orm';
import type { Redacted } from '../core/redaction/model.ts';

export const redactedJson = '(SELECT json_array(rules, json(fields), sha256) FROM redactions WHERE event = events.seq)';
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

export const redactedColumn = sql<Redacted | null>`${sql.raw(redactedJson)}`.mapWith(readRedacted);
