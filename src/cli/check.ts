/* `hooktape check`: checks everything that is stored. Exit code 1 if there is a problem. */
import { printJson } from './client/output.ts';
import { ask } from './control.ts';
import { exitCodes, type Run } from './io.ts';

export const runCheck: Run = async (given, io) => {
  const result = await ask(io, given, 'check', { reindex: given.flag('reindex') });
  if (given.json) printJson(io, result);
  else {
    for (const { check: name, problem } of result.problems) io.stdout(`${name}: ${problem}\n`);
    if (result.ok) io.stdout(`no problems found: ${result.checked.join(', ')}\n`);
  }
  return result.ok ? exitCodes.done : exitCodes.failed;
};
