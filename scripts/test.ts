/*
 * `bun run test [ARGS]`: runs `bun test ARGS` and prints `N passed, N failed[, N skipped]` as the last line. A file that does not
 * load and a filter that matches nothing count as a failure. Test files run in several processes.
 *
 * The name of a file says when it runs:
 * - `NAME.slow.test.ts`: not with `--fast`. Such a file takes about two seconds or more, because it starts the program or a
 *   browser, waits for a real timeout, needs a large history, or tries every operation.
 * - `NAME.long.test.ts`: only in CI (HOOKTAPE_REQUIRE_BROWSER=1), or when ARGS name files. Such a file visits every page or
 *   every variant of one, or kills and starts processes for many seconds.
 * - `NAME.proof.test.ts`: only when ARGS name files, as `bun run test:proofs` does. Such a file repeats at random, with kills or with much
 *   data, what smaller tests show once.
 *
 * With CI=true, up to three files with failed tests run a second time, each alone. A test that then passes is named in a line
 * `flaky: FILE: TEST` and counts as passed. More than three such files, a second failure, a file that does not load and a process
 * that crashes are failures.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FailedTest, failedTests } from './lib/test-report.ts';

/** Ends only what hangs: Bun's default of 5 s, also for hooks, is too short on a busy machine. */
const timeoutMs = 120_000;
/** Each process may run a server and a browser, and often waits for them: one more than there are processors. */
const workers = Math.min(4, availableParallelism() + 1);
/** More failing files than this are a broken change, not chance. */
const maxSecondRuns = 3;

interface Run {
  readonly exitCode: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Fewer than `failed` when a file did not load or a process crashed. */
  readonly failures: readonly FailedTest[];
}

/** Runs `bun test` and passes its output on. */
async function runTests(args: readonly string[]): Promise<Run> {
  const dir = mkdtempSync(join(tmpdir(), 'hooktape-tests-'));
  const report = join(dir, 'report.xml');
  // Without isolation a process loads each module once, not once for each file.
  const options = [`--timeout=${timeoutMs}`, '--no-isolate', '--reporter=junit', `--reporter-outfile=${report}`];
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
  const failures = exitCode === 0 ? [] : readFailures(report);
  rmSync(dir, { recursive: true });
  return {
    exitCode,
    passed: lastCount('pass'),
    failed: lastCount('fail') + lastCount('error') || (exitCode === 0 ? 0 : 1),
    skipped: lastCount('skip') + lastCount('todo'),
    failures,
  };
}

/** None when `bun test` ended before it wrote its report. */
function readFailures(report: string): FailedTest[] {
  try {
    return failedTests(readFileSync(report, 'utf8')).filter(({ name }) => name !== '(worker crashed)');
  } catch {
    return [];
  }
}

/** Runs the files of failed tests again. @returns undefined if one fails again, or if the run failed in another way */
async function runFailedAgain({ failed, failures }: Run): Promise<readonly FailedTest[] | undefined> {
  const files = [...new Set(failures.map(({ file }) => file))];
  if (failures.length < failed || files.length > maxSecondRuns) return undefined;
  for (const file of files) {
    console.error(`\n${file} failed, and runs a second time, alone`);
    if ((await runTests([`./${file}`])).exitCode !== 0) return undefined;
  }
  return failures;
}

const given = process.argv.slice(2);
const leaveOut = (kind: 'slow' | 'long' | 'proof'): string => `--path-ignore-patterns=**/*.${kind}.test.ts`;
const namesFiles = given.some(arg => !arg.startsWith('-'));
const isWhole = process.env['HOOKTAPE_REQUIRE_BROWSER'] === '1' || namesFiles;
const run = await runTests([
  `--parallel=${workers}`,
  ...given.flatMap(arg => (arg === '--fast' ? [leaveOut('slow'), leaveOut('long')] : [arg])),
  ...(isWhole ? [] : [leaveOut('long')]),
  ...(namesFiles ? [] : [leaveOut('proof')]),
]);
const flaky = (run.exitCode !== 0 && process.env['CI'] === 'true' && (await runFailedAgain(run))) || [];
for (const { file, name } of flaky) console.log(`flaky: ${file}: ${name}`);

const failed = run.failed - flaky.length;
const skipped = run.skipped > 0 ? `, ${run.skipped} skipped` : '';
console.log(`${run.passed + flaky.length} passed, ${failed} failed${skipped}`);
process.exit(failed === 0 ? 0 : run.exitCode);
