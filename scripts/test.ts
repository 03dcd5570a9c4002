/*
 * `bun run test [ARGS]`: runs `bun test ARGS` and prints `N passed, N failed[, N skipped]` as the last line. A file that does not
 * load and a filter that matches nothing count as a failure. Test files run in several processes.
 *
 * The name of a file says when it runs:
 * - `NAME.slow.test.ts`: not with `--fast`. Such a file takes about two seconds or more, because it starts the program or a
 *   browser, waits for a real timeout, needs a large history, or tries every operation.
 * - `NAME.long.test.ts`: only in CI (HOOKTAPE_REQUIRE_BROWSER=1), or when ARGS name files. Such a file visits every page or
 *   every variant of one, or kills and starts processes for many seconds.
 * - `NAME.proof.test.ts`: only with `--proofs`, or when ARGS name files. Such a file repeats at random, with kills or with much data, what
 *   smaller tests show once. `--proofs` also runs all random cases of the files that otherwise try some of them (testing/proofs.ts).
 *
 * With `--check`, lint and types run beside the tests, which often wait. Each counts as a test; their output comes after that of the tests.
 *
 * With CI=true, up to three files with failed tests run a second time, each alone. A test that then passes is named in a line
 * `flaky: FILE: TEST` and counts as passed. More than three such files, a second failure, a file that does not load and a process
 * that crashes are failures.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FailedTest, failedTests } from './lib/test-report.ts';

const root = join(import.meta.dir, '..');
/** Ends only what hangs: Bun's default of 5 s, also for hooks, is too short on a busy machine. */
const timeoutMs = 120_000;
/** Tests often wait: for a browser, another process, the disk. */
const workers = Math.min(4, 2 * availableParallelism());
/** About how long files take. The longest ones start first, so that no process ends long after the others. */
const usualMs = { long: 20_000, slow: 5000, fast: 500 };
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
  const timings = join(dir, 'timings.json');
  writeFileSync(timings, JSON.stringify({ version: 1, files: usualTimes() }));
  // Without isolation a process loads each module once, not once for each file.
  const options = ['--no-isolate', '--reporter=junit', `--reporter-outfile=${report}`, `--timings=${timings}`];
  const child = Bun.spawn([process.execPath, 'test', `--timeout=${timeoutMs}`, ...options, ...args], {
    cwd: root,
    // Compiling for the fourth time, with all optimisations, costs a fifth more than it gains in code that runs for seconds.
    env: { BUN_JSC_useFTLJIT: '0', ...process.env, TZ: 'UTC' },
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

const testFiles = (): string[] => [...new Bun.Glob('{src,scripts,clients}/**/*.test.{ts,tsx}').scanSync(root)];

const proofFiles = (): string[] =>
  testFiles().filter(
    file => file.includes('.proof.test.') || readFileSync(join(root, file), 'utf8').includes("testing/proofs.ts'"),
  );

/** For each test file, by its name. */
function usualTimes(): Record<string, number> {
  const usual = (file: string): number => {
    if (/\.(?:long|proof)\.test\.|\/browser\//.test(file)) return usualMs.long;
    return file.includes('.slow.test.') ? usualMs.slow : usualMs.fast;
  };
  return Object.fromEntries(testFiles().map(file => [file, usual(file)]));
}

/** None when `bun test` ended before it wrote its report. */
function readFailures(report: string): FailedTest[] {
  try {
    return failedTests(readFileSync(report, 'utf8')).filter(({ name }) => name !== '(worker crashed)');
  } catch {
    return [];
  }
}

/** Runs a script of package.json and keeps its output. */
async function check(script: string): Promise<{ script: string; output: string; exitCode: number }> {
  const child = Bun.spawn([process.execPath, 'run', script], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  // Tests have time limits.
  setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const output = await Promise.all([child.stderr.text(), child.stdout.text()]);
  return { script, output: output.join(''), exitCode: await child.exited };
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

const args = process.argv.slice(2);
const checks = args.includes('--check') ? ['lint', 'types'].map(check) : [];
const given = args.flatMap(arg => {
  if (arg === '--proofs') return proofFiles().map(file => `./${file}`);
  return arg === '--check' ? [] : [arg];
});
if (args.includes('--proofs')) process.env['HOOKTAPE_PROOFS'] = '1';
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

let [passed, failed] = [run.passed + flaky.length, run.failed - flaky.length];
for (const { script, output, exitCode } of await Promise.all(checks)) {
  console.log(`\n${script}:\n${output}`);
  if (exitCode === 0) passed++;
  else failed++;
}
const skipped = run.skipped > 0 ? `, ${run.skipped} skipped` : '';
console.log(`${passed} passed, ${failed} failed${skipped}`);
process.exit(failed === 0 ? 0 : run.exitCode || 1);
