/*
 * `bun run faults [--rounds 100] [--seconds 60] [--seed N] [--idle 10000] [--points 200] [--only disk,midway,power-cut,connections,fuzz,greed,crash,drain]`:
 * injects faults into the compiled program and checks that no acknowledged delivery is lost. Uses only loopback, and is bounded.
 */
import { parseArgs } from 'node:util';
import { checkConnections } from './faults/connections.ts';
import { checkDisk } from './faults/disk.ts';
import { checkFuzz } from './faults/fuzz.ts';
import { checkGreed } from './faults/greed.ts';
import { checkMidway } from './faults/midway.ts';
import { checkPowerCut } from './faults/power-cut.ts';
import { checkStalls } from './faults/stalls.ts';
import { createChecks } from './lib/checks.ts';
import { githubPayloads } from './lib/payloads.ts';
import { checkCrashes } from './smoke/crash.ts';
import { checkDrain } from './smoke/drain.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    idle: { type: 'string', default: '10000' },
    points: { type: 'string', default: '200' },
    only: { type: 'string', default: 'disk,midway,power-cut,connections,fuzz,greed,crash,drain' },
  },
});
const integerOption = (name: 'rounds' | 'seconds' | 'seed' | 'idle' | 'points'): number => {
  const number = Number(values[name]);
  if (!Number.isInteger(number) || number < 0) throw new Error(`--${name} takes a non-negative integer`);
  return number;
};

const checks = createChecks();
const payloads = githubPayloads();
const idle = integerOption('idle');
const groups: Record<string, () => Promise<void>> = {
  disk: () => checkDisk(checks, payloads),
  midway: () => checkMidway(checks, payloads),
  'power-cut': () => checkPowerCut(checks, { points: integerOption('points'), seed: integerOption('seed') }),
  connections: () => checkConnections(checks, payloads, { idle, dripping: Math.ceil(idle / 20) }),
  fuzz: () => checkFuzz(checks, integerOption('seconds'), integerOption('seed')),
  greed: async () => {
    await checkGreed(checks);
    await checkStalls(checks);
  },
  crash: async () => {
    await checkCrashes(checks, payloads, integerOption('rounds'));
  },
  drain: async () => {
    for (let round = 0; round < integerOption('rounds'); round++) await checkDrain(checks, payloads);
  },
};
for (const name of values.only.split(',')) {
  const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
  if (!group) throw new Error(`unknown group ${name}; groups: ${Object.keys(groups).join(', ')}`);
  await group();
}
process.exit(checks.close());
