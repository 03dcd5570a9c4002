/* `hooktape signing-key rotate`: replaces the key that signs access tokens. `keys rotate` is its older spelling. */
import { parse } from './arguments.ts';
import { control } from './control.ts';
import { type Command, exitCodes } from './io.ts';
import { loadConfig } from './settings.ts';
import { unknownVerb } from './usage.ts';

export const signingKey: Command = {
  summary: 'replace the key that access tokens are signed with',
  usage: 'hooktape signing-key rotate [--now|--revoke]',
  details: [
    ['--now', 'sign with the new key at once; without it the new key is published now and signs in 15 minutes'],
    ['--revoke', 'sign with the new key at once, and refuse access tokens that the old one signed'],
  ],
  async run([verb, ...rest], io) {
    if (verb !== 'rotate') throw unknownVerb('signing-key', signingKey.usage, verb);
    const { flag, envFile, json } = parse(rest, [], { now: { type: 'boolean' }, revoke: { type: 'boolean' } });
    const given = { now: flag('now'), revoke: flag('revoke') };
    const result = await control(io, loadConfig(io, envFile).config, 'signing-key.rotate', given);
    io.stdout(json ? `${JSON.stringify(result)}\n` : 'rotated\n');
    return exitCodes.done;
  },
};
