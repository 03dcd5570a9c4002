/* `hooktape config`: shows the effective settings. */
import { describeConfig } from '../config/config.ts';
import { escapeUnsafe } from '../log.ts';
import { parse } from './arguments.ts';
import { exitCodes, type Run } from './io.ts';
import { loadConfig } from './settings.ts';

export const runConfig: Run = async (args, io) => {
  const { envFile, json } = parse(args, []);
  const { sources } = loadConfig(io, envFile);
  // A value may span several lines, such as JSON in an env file, but each setting is printed on one line.
  const lines = describeConfig(sources).map(line => `${escapeUnsafe(line)}\n`);
  io.stdout(json ? `${JSON.stringify(sources)}\n` : lines.join(''));
  return exitCodes.done;
};
