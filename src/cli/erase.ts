/* `hooktape erase TEXT|- --account EMAIL`: deletes every event of a team that has a text. */
import { counted, printJson } from './client/output.ts';
import { ask } from './control.ts';
import type { Run } from './io.ts';

export const runErase: Run = async (given, io) => {
  const dryRun = given.flag('dry-run');
  // A line break at its end is not part of the text.
  const text = given.argument(0) === '-' ? (await io.readStdin()).replace(/\r?\n$/, '') : given.argument(0);
  const erasure = await ask(io, given, 'erase', { account: given.option('account'), text, dryRun });
  if (given.json) return printJson(io, erasure);
  for (const { id, name, events, pinned } of erasure.endpoints) io.stdout(`${[id, name, events, pinned].join('\t')}\n`);
  const count = counted(erasure.events, 'event');
  io.stderr(dryRun ? `${count} would be deleted.\n` : `Deleted ${count}.\n`);
};
