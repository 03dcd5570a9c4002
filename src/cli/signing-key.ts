/* `hooktape signing-key rotate`: replaces the key that signs access tokens. `keys rotate` is its older spelling. */
import { printResult } from './client/output.ts';
import { ask } from './control.ts';
import type { Run } from './io.ts';

export const runSigningKey: Run = async (given, io) => {
  const options = { now: given.flag('now'), revoke: given.flag('revoke') };
  printResult(io, given, await ask(io, given, 'signing-key.rotate', options), 'rotated\n');
};
