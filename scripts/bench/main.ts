/*
 * `bun run bench ingest|read|history [OPTIONS]`: measures the compiled program beside a baseline in the same run, prints a table
 * and writes the numbers to .bench/.
 */
import { history } from './history.ts';
import { ingest } from './ingest.ts';
import { read } from './read.ts';

const BENCHES: Record<string, { run: (args: string[]) => Promise<void>; usage: string }> = {
  ingest: { run: ingest, usage: 'ingest [--seconds 10] [--rounds 3] [--soak 60]' },
  history: { run: history, usage: 'history [--events 1000000] [--requests 200] [--seconds 10] [--rounds 3]' },
  read: { run: read, usage: 'read [--events 10000,1000000] [--requests 2000]' },
};

const [name = '', ...args] = process.argv.slice(2);
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
if (bench) await bench.run(args);
else {
  const usages = Object.values(BENCHES).map(({ usage }) => `  bun run bench ${usage}`);
  console.error(`Usage:\n${usages.join('\n')}`);
  process.exitCode = 2;
}
