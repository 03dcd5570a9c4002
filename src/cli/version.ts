/* `hooktape version`. */
import { parse } from './arguments.ts';
import { exitCodes, type Run } from './io.ts';

export const runVersion: Run = async (args, io) => {
  const { json } = parse(args, []);
  const { version, commit } = io;
  io.stdout(json ? `${JSON.stringify({ version, commit })}\n` : `hooktape ${version} (${commit})\n`);
  return exitCodes.done;
};
