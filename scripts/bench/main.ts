/*
 * `bun run bench goals|ingest|read|history|peers [OPTIONS]`: measures the compiled program and a baseline in the same run, prints
 * a table and writes the numbers to .bench/. `peers` compares it with other webhook recorders (peers.json). `--help`, or no argument,
 * lists the benchmarks.
 */
import { goals } from './goals.ts';
import { growth } from './growth.ts';
import { history } from './history.ts';
import { ingest } from './ingest.ts';
import { peers } from './peers.ts';
import { read } from './read.ts';

const benchmarks: Record<string, { run: (args: string[]) => Promise<void>; usage: string }> = {
  ingest: { run: ingest, usage: 'ingest [--only load,disk,switches,backup] [--seconds 10] [--rounds 3] [--soak 60]' },
  goals: {
    run: goals,
    usage:
      'goals [--only capture,latency,disk,load,device,reading,memory,start] [--seconds 60] [--rounds 3] [--burst 100000] [--load-seconds 420] [--events 1000000] [--requests 500] [--baseline-binary PATH] [--request-baskets PATH]',
  },
  growth: {
    run: growth,
    usage: 'growth [--only endpoints,teams,alerts,forwards,streams,deletion] [--baseline-binary PATH] [--rounds 1]',
  },
  history: {
    run: history,
    usage:
      'history [--only search,export,sweep,replay] [--events 1000000] [--requests 200] [--seconds 10] [--rounds 3] [--build-only]',
  },
  peers: { run: peers, usage: 'peers [--seconds 10] [--rounds 3] [--config FILE] [--request-baskets PATH]' },
  read: { run: read, usage: 'read [--events 10000,1000000] [--requests 2000]' },
};

const [name = '--help', ...args] = process.argv.slice(2);
const bench = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
if (bench) await bench.run(args);
else {
  const usages = Object.values(benchmarks).map(({ usage }) => `  bun run bench ${usage}`);
  const isHelp = name === '--help' || name === '-h';
  (isHelp ? console.log : console.error)(`Usage:\n${usages.join('\n')}`);
  process.exitCode = isHelp ? 0 : 2;
}
