/* The code that a person compares in terminal and browser: it shows that the page belongs to the login just started. */
import { createHash } from 'node:crypto';

/** Without letters and digits that look alike. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ2456789';

/** `WDJB-MJHT` @param challenge the random challenge of the login */
export function loginCode(challenge: string): string {
  const digest = createHash('sha256').update(`login code ${challenge}`).digest();
  const text = Array.from({ length: 8 }, (_, i) => letters[digest.readUInt16BE(2 * i) % letters.length]).join('');
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}
