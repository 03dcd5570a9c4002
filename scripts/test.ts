/*
 * `bun run test [ARGS]`: `bun test ARGS`, then one plain closing line, `N passed, N failed[, N skipped]`, and its exit code.
 * A file that does not load and a filter that matches nothing count as one failure. `--fast` leaves out the slow tests.
 */
import { slowTests } from './lib/slow-tests.ts';

/** Bun's own 5 s, which also hold for hooks, are too short for servers that start while the disk stalls. */
const timeoutMs = 60_000;

const given = process.argv.slice(2);
const args = given.flatMap(arg => (arg === '--fast' ? slowTests.map(file => `--path-ignore-patterns=${file}`) : [arg]));

const child = Bun.spawn([process.execPath, 'test', `--timeout=${timeoutMs}`, ...args], {
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
const last = (word: string): number =>
  Number([...plain.matchAll(new RegExp(`^\\s*(\\d+) ${word}s?$`, 'gm'))].at(-1)?.[1] ?? 0);
const failed = last('fail') || (exitCode === 0 ? 0 : Math.max(1, last('error')));
const skipped = last('skip') + last('todo');
console.log(`${last('pass')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(exitCode);
