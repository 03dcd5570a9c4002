/* The reason phrases of RFC 9110 and of statuses that webhook handlers answer with. */

import { formatDuration } from '../../kit/format/time.ts';
import statusPhrases from './status-phrases.json' with { type: 'json' };

const phrases: Readonly<Record<number, string>> = statusPhrases;

/** `404 Not Found`; `No response` without one. */
export const statusText = (status: number | null): string =>
  status === null ? 'No response' : [status, phrases[status]].filter(Boolean).join(' ');

type Result = { status: number | null; durationMs: number };

/** `404 Not Found · 4 ms`. */
export const resultLine = ({ status, durationMs }: Result): string =>
  `${statusText(status)} · ${formatDuration(durationMs)}`;

/** Like `resultLine`, beside a badge with the number: `Not Found · 4 ms`. */
export const phraseLine = ({ status, durationMs }: Result): string =>
  [status === null ? undefined : phrases[status], formatDuration(durationMs)].filter(Boolean).join(' · ');
