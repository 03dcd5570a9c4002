/*
 * `bun run test [ARGS]`: runs `bun test ARGS` and prints `N passed, N failed[, N skipped]` as the last line. A file that does not
 * load and a filter that matches nothing count as a failure. `--fast` skips the slow tests. Test files run in several processes.
 */
import { availableParallelism } from 'node:os';
import { slowTests } from './lib/slow-tests.ts';

/** Bun's default of 5 s, also for hooks, is too short when a server starts on a busy disk. */
const timeoutMs = 60_000;
/** Each process may run a server and a browser, and often waits for them: one more than there are processors. */
const workers = Math.min(4, availableParallelism() + 1);

const args = process.argv
  .slice(2)
  .flatMap(arg => (arg === '--fast' ? slowTests.map(file => `--path-ignore-patterns=${file}`) : [arg]));

// Without isolation a process loads each module once, not once for each file.
const options = [`--timeout=${timeoutMs}`, `--parallel=${workers}`, '--no-isolate'];
const child = Bun.spawn([process.execPath, 'test', ...options, ...args], {
  cwd: `${import.meta.dir}/..`,
  env: { ...process.env, TZ: 'UTC' },
  stdin: 'ignore',
  stdout: 'inherit',
  stderr: 'pipe',
});

const decoder = new TextDecoder();
let tail = '';
for await (const chunk of child.stderr) {
  process.stderr.write(chunk);
  tail = (tail + decoder.decode(chunk, { stream: true })).slice(-4096);
}

const exitCode = await child.exited;
const plain = Bun.stripANSI(tail);
const lastCount = (word: string): number =>
  Number([...plain.matchAll(new RegExp(`^\\s*(\\d+) ${word}s?$`, 'gm'))].at(-1)?.[1] ?? 0);
const failed = lastCount('fail') || (exitCode === 0 ? 0 : Math.max(1, lastCount('error')));
const skipped = lastCount('skip') + lastCount('todo');
console.log(`${lastCount('pass')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(exitCode);
