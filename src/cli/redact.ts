/* `hooktape redact ENDPOINT --where W`: applies the redaction rules of an endpoint to stored events. */
import { counted, printResult } from './client/output.ts';
import { ask } from './control.ts';
import type { Run } from './io.ts';

export const runRedact: Run = async (given, io) => {
  const dryRun = given.flag('dry-run');
  const options = { endpoint: given.argument(0), where: given.option('where'), dryRun };
  const applied = await ask(io, given, 'redact', options);
  const changed = `${applied.changed} ${dryRun ? 'would be changed' : 'changed'}`;
  printResult(io, given, applied, `${counted(applied.events, 'event')}, ${changed}\n`);
};
