/* `hooktape signing-key rotate`: replaces the key that signs access tokens. `keys rotate` is its older spelling. */
import { parse } from './arguments.ts';
import { control } from './control.ts';
import { exitCodes, type Run } from './io.ts';
import { loadConfig } from './settings.ts';

export const runSigningKey: Run = async ([, ...rest], io) => {
  const { flag, envFile, json } = parse(rest, [], { now: { type: 'boolean' }, revoke: { type: 'boolean' } });
  const given = { now: flag('now'), revoke: flag('revoke') };
  const result = await control(io, loadConfig(io, envFile).config, 'signing-key.rotate', given);
  io.stdout(json ? `${JSON.stringify(result)}\n` : 'rotated\n');
  return exitCodes.done;
};
