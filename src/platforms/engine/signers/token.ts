/* Sends the fixed value itself. */

import type { Signer } from '../signature-scheme.ts';
import { inSignatureHeaders } from './task.ts';

export const signToken: Signer = task => {
  // Header bytes are sent as latin1 text.
  const value = Buffer.from(task.sealText(task.secret), 'utf8').toString('latin1');
  return inSignatureHeaders(task, () => value);
};
