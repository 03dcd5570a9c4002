/* `hooktape config`: shows the effective settings. */
import { describeConfig } from '../config/config.ts';
import { escapeUnsafe } from '../log.ts';
import { printResult } from './client/output.ts';
import type { Run } from './io.ts';
import { loadConfig } from './settings.ts';

export const runConfig: Run = async (given, io) => {
  const { sources } = loadConfig(io, given.envFile);
  // A value may span several lines, such as JSON in an env file, but each setting is printed on one line.
  const lines = describeConfig(sources).map(line => `${escapeUnsafe(line)}\n`);
  printResult(io, given, sources, lines.join(''));
};
