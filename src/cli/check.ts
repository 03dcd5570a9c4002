/* `hooktape check`: checks everything that is stored. Exit code 1 if there is a problem. */
import { parse } from './arguments.ts';
import { control } from './control.ts';
import { exitCodes, type Run } from './io.ts';
import type { CheckResult } from './maintenance.ts';
import { loadConfig } from './settings.ts';

export const runCheck: Run = async (args, io) => {
  const { flag, envFile, json } = parse(args, [], { reindex: { type: 'boolean' } });
  const { config } = loadConfig(io, envFile);
  const result = (await control(io, config, 'check', { reindex: flag('reindex') })) as CheckResult;
  if (json) io.stdout(`${JSON.stringify(result)}\n`);
  else {
    for (const { check: name, problem } of result.problems) io.stdout(`${name}: ${problem}\n`);
    if (result.ok) io.stdout(`no problems found: ${result.checked.join(', ')}\n`);
  }
  return result.ok ? exitCodes.done : exitCodes.failed;
};
