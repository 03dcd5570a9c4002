/*
 * `bun run bench ingest|read|history|start|peers [OPTIONS]`: compares the compiled program with a baseline in the same run, prints a
 * table and writes the results to .bench/. `peers` compares it with other programs that receive webhooks (peers.json). `--help`
 * lists the options.
 */
import { history } from './history.ts';
import { ingest } from './ingest.ts';
import { peers } from './peers.ts';
import { read } from './read.ts';
import { start } from './start.ts';

const benches: Record<string, { run: (args: string[]) => Promise<void>; usage: string }> = {
  ingest: { run: ingest, usage: 'ingest [--only load,disk,switches] [--seconds 10] [--rounds 3] [--soak 60]' },
  history: {
    run: history,
    usage:
      'history [--only search,export,sweep,replay] [--events 1000000] [--requests 200] [--seconds 10] [--rounds 3] [--build-only]',
  },
  peers: { run: peers, usage: 'peers [--seconds 10] [--rounds 3] [--config FILE]' },
  start: { run: start, usage: 'start [--rounds 20] [--baseline FILE]' },
  read: { run: read, usage: 'read [--events 10000,1000000] [--requests 2000]' },
};

const [name = '--help', ...args] = process.argv.slice(2);
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (bench) await bench.run(args);
else {
  const usages = Object.values(benches).map(({ usage }) => `  bun run bench ${usage}`);
  const isHelp = name === '--help' || name === '-h';
  (isHelp ? console.log : console.error)(`Usage:\n${usages.join('\n')}`);
  process.exitCode = isHelp ? 0 : 2;
}
