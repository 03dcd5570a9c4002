/* A fixed value: in `Authorization` it may follow a word such as `Bearer`, or be the `user:password` of Basic. */

import type { Outcome, SignatureCheck } from '../signature-scheme.ts';
import { headerValues } from '../signature-values.ts';
import { sameText, utf8 } from './check.ts';

export function verifyToken(check: SignatureCheck): Outcome {
  for (const { value } of headerValues(check.scheme, check.reader)) {
    // Header bytes arrive as latin1 text; the secret was typed as Unicode.
    const presented = Buffer.from(value, 'latin1').toString('utf8');
    const candidates = [presented];
    const bare = presented.replace(/^(Bearer|Basic|Token) +/i, '');
    if (check.scheme.header === 'authorization' && bare !== presented) {
      candidates.push(bare);
      if (/^Basic /i.test(presented)) candidates.push(Buffer.from(bare, 'base64').toString('utf8'));
    }
    check.observe?.({ message: null, received: [utf8(presented)], expected: null });
    if (candidates.some(text => sameText(text, check.secret))) return 'valid';
  }
  return 'mismatch';
}
