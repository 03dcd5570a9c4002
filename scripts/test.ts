/*
 * `bun run test [ARGS]`: runs `bun test ARGS` and prints `N passed, N failed[, N skipped]` as the last line. A file that does not
 * load and a filter that matches nothing count as a failure. `--fast` skips the slow tests. The longest tests run in CI, or when
 * ARGS name files. Test files run in several processes.
 */
import { availableParallelism } from 'node:os';
import { longTests, slowTests } from './lib/slow-tests.ts';

/** Bun's default of 5 s, also for hooks, is too short when a server starts on a busy disk. */
const timeoutMs = 60_000;
/** Each process may run a server and a browser, and often waits for them: one more than there are processors. */
const workers = Math.min(4, availableParallelism() + 1);

const given = process.argv.slice(2);
const leaveOut = (files: readonly string[]): string[] => files.map(file => `--path-ignore-patterns=${file}`);
const isWhole = process.env['HOOKTAPE_REQUIRE_BROWSER'] === '1' || given.some(arg => !arg.startsWith('-'));
const args = [
  ...given.flatMap(arg => (arg === '--fast' ? leaveOut(slowTests) : [arg])),
  ...(isWhole ? [] : leaveOut(longTests)),
];

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
