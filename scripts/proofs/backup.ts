/*
 * `bun scripts/proofs/backup.ts [--only losses,faults,restores,ratio] [--store versitygw,moto] [--losses 20] [--seconds 60]`: the
 * continuous backup against object stores of other projects. The whole data directory is lost 20 times under load and restored; the
 * store is away, silent, slow, full, refuses or loses an object; two servers write to one place; the bytes that are uploaded are counted.
 * A store that is not installed is left out. Needs dist/hooktape. Ends with the line `N passed, N failed`.
 */
import { parseArgs } from 'node:util';
import { chosenParts } from '../bench/parts.ts';
import { createChecks } from '../lib/checks.ts';
import { checkFaults } from './backup/faults.ts';
import { checkLosses } from './backup/losses.ts';
import { checkRatio } from './backup/ratio.ts';
import { checkRestores } from './backup/restores.ts';
import { missingProgram, startStore, storeNames } from './backup/stores.ts';

const parts = ['losses', 'faults', 'restores', 'ratio'] as const;
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: parts.join() },
    store: { type: 'string', default: storeNames.join() },
    losses: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '60' },
  },
});
const chosen = chosenParts(parts, values.only);

const checks = createChecks();
for (const name of chosenParts(storeNames, values.store)) {
  const problem = missingProgram(name);
  if (problem !== undefined) {
    console.log(`skip  ${name}: ${problem}`);
    continue;
  }
  const store = await startStore(name);
  try {
    if (chosen.includes('restores')) await checkRestores(checks, store);
    if (chosen.includes('faults')) await checkFaults(checks, store);
    if (chosen.includes('ratio')) await checkRatio(checks, store, Number(values.seconds));
    if (chosen.includes('losses')) await checkLosses(checks, store, Number(values.losses));
  } finally {
    await store.remove();
  }
}
process.exitCode = checks.close();
