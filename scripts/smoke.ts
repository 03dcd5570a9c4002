/*
 * `bun run smoke [--rounds N]`: tests the compiled program through its public interface, as a user other than root, with GitHub's
 * examples from 64 concurrent senders. Ends with `N passed, N failed`.
 */
import { parseArgs } from 'node:util';
import { createChecks } from './lib/checks.ts';
import { githubPayloads } from './lib/payloads.ts';
import { checkCrashes } from './smoke/crash.ts';
import { checkDrain } from './smoke/drain.ts';
import { checkStartup } from './smoke/startup.ts';
import { checkSurroundings } from './smoke/surroundings.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } });
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 0) throw new Error('--rounds takes a non-negative integer');

const checks = createChecks();
const payloads = githubPayloads();
await checkSurroundings(checks);
await checkStartup(checks);
await checkDrain(checks, payloads);
await checkCrashes(checks, payloads, rounds);
process.exit(checks.close());
