/*
 * The code that a person compares between the terminal and the browser before a program gets a key. It shows that the page
 * belongs to the login that they have just started: a link from another person leads to a page with another code.
 */
import { createHash } from 'node:crypto';

/** Without letters and digits that look alike. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ2456789';

/** `WDJB-MJHT` @param challenge the random challenge of the login */
export function loginCode(challenge: string): string {
  const digest = createHash('sha256').update(`login code ${challenge}`).digest();
  const text = Array.from({ length: 8 }, (_, i) => letters[digest.readUInt16BE(2 * i) % letters.length]).join('');
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}
