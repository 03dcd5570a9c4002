/* `hooktape redact ENDPOINT --where W`: applies the redaction rules of an endpoint to stored events. */
import type { RedactionApplied } from '../features/redaction/model.ts';
import { parse } from './arguments.ts';
import { counted } from './client/output.ts';
import { control } from './control.ts';
import { exitCodes, type Run, UsageError } from './io.ts';
import { loadConfig } from './settings.ts';

export const runRedact: Run = async (args, io) => {
  const words = parse(args, ['ENDPOINT'], { where: { type: 'string' }, 'dry-run': { type: 'boolean' } });
  const where = words.option('where');
  if (where === undefined) throw new UsageError('--where W is missing');
  const dryRun = words.flag('dry-run');
  const given = { endpoint: words.positionals[0], where, dryRun };
  const { config } = loadConfig(io, words.envFile);
  const applied = (await control(io, config, 'redact', given)) as RedactionApplied;
  if (words.json) io.stdout(`${JSON.stringify(applied)}\n`);
  else
    io.stdout(`${counted(applied.events, 'event')}, ${applied.changed} ${dryRun ? 'would be changed' : 'changed'}\n`);
  return exitCodes.done;
};
