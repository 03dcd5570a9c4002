/* Stored outcomes, as parts of queries on `events`, whose name is literal (event-marks.ts). Without a row: the default answer. */

import { sql } from 'drizzle-orm';
import type { Refusal, StoredOutcome } from '../core/answers/model.ts';
import type { Fault } from '../shared/answers.ts';

export const outcomeJson =
  '(SELECT json_array(status, rule, delay_ms, fault, limited, refused) FROM outcomes WHERE event = events.seq)';
/** The status with which a row of `events` was answered; -1 without one. */
export const answeredStatus = 'ifnull((SELECT ifnull(status, -1) FROM outcomes WHERE event = events.seq), 200)';
export const isRefused = 'EXISTS (SELECT 1 FROM outcomes WHERE event = events.seq AND refused IS NOT NULL)';

/** Whether a row of `outcomes` is a failure. It must be the condition of the index `outcomes_failed`. */
export const hasFailed = '(refused IS NOT NULL OR status IS NULL OR status NOT BETWEEN 200 AND 299)';

type Values = [
  status: number | null,
  rule: string | null,
  delayMs: number,
  fault: Fault | null,
  limited: 0 | 1,
  refused: Refusal | null,
];

/** @param json the value of `outcomeJson`: a text, or already parsed */
export function readOutcome(json: unknown): StoredOutcome {
  if (json === null) return null;
  const [status, rule, delayMs, fault, limited, refused] = (
    typeof json === 'string' ? JSON.parse(json) : json
  ) as Values;
  return { answered: { status, rule, delayMs, fault, limited: limited === 1 }, refused };
}

export const outcomeColumn = sql<StoredOutcome>`${sql.raw(outcomeJson)}`.mapWith(readOutcome);
