/* `hooktape erase TEXT|- --account EMAIL`: deletes every event of a team that has a text. */
import type { Erasure } from '../features/erasures/model.ts';
import { parse } from './arguments.ts';
import { control } from './control.ts';
import { exitCodes, type Run, UsageError } from './io.ts';
import { loadConfig } from './settings.ts';

export const runErase: Run = async (args, io) => {
  const words = parse(args, ['TEXT'], { account: { type: 'string' }, 'dry-run': { type: 'boolean' } });
  const [given = ''] = words.positionals;
  const { config } = loadConfig(io, words.envFile);
  const dryRun = words.flag('dry-run');
  // A line break at its end is not part of the text.
  const text = given === '-' ? (await io.readStdin()).replace(/\r?\n$/, '') : given;
  const account = words.option('account');
  if (account === undefined) throw new UsageError('--account EMAIL is missing');
  const erasure = (await control(io, config, 'erase', { account, text, dryRun })) as Erasure;
  if (words.json) io.stdout(`${JSON.stringify(erasure)}\n`);
  else {
    for (const { id, name, events, pinned } of erasure.endpoints)
      io.stdout(`${[id, name, events, pinned].join('\t')}\n`);
    const count = `${erasure.events} event${erasure.events === 1 ? '' : 's'}`;
    io.stderr(dryRun ? `${count} would be deleted.\n` : `Deleted ${count}.\n`);
  }
  return exitCodes.done;
};
