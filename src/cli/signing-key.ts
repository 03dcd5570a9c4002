/* `hooktape keys rotate`: the keys that access tokens are signed with. */
import { parse } from './arguments.ts';
import { control } from './control.ts';
import { type Command, exitCodes } from './io.ts';
import { loadConfig } from './settings.ts';
import { unknownVerb } from './usage.ts';

export const signingKey: Command = {
  summary: 'replace the key that access tokens are signed with',
  usage: 'hooktape keys rotate [--now|--revoke]',
  details: [
    ['--now', 'the new key signs at once; else it is published now and signs in 15 minutes'],
    ['--revoke', 'it signs at once, and access tokens of the old one are worth nothing any more'],
  ],
  async run([verb, ...rest], io) {
    if (verb !== 'rotate') throw unknownVerb('keys', signingKey.usage, verb);
    const { flag, envFile, json } = parse(rest, [], { now: { type: 'boolean' }, revoke: { type: 'boolean' } });
    const given = { now: flag('now'), revoke: flag('revoke') };
    const result = await control(io, loadConfig(io, envFile).config, 'keys.rotate', given);
    io.stdout(json ? `${JSON.stringify(result)}\n` : 'rotated\n');
    return exitCodes.done;
  },
};
