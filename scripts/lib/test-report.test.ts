import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failedTests } from './test-report.ts';

test('the report of a run names the failed tests and no others', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hooktape-report-'));
  writeFileSync(
    join(dir, 'odd.test.ts'),
    `import { describe, expect, test } from 'bun:test';
    describe('a "group"', () => {
      test('fails & <says> so', () => { expect('<failure').toBe('\\n'); });
      test('passes', () => {});
      describe('an inner one', () => { test('fails, too', () => { expect(1).toBe(2); }); });
    });
    test('fails alone', () => { throw new Error('</testcase>'); });
    test.skip('is skipped', () => {});`,
  );
  const child = Bun.spawn(
    [process.execPath, 'test', '--parallel=2', '--reporter=junit', '--reporter-outfile=report.xml', './odd.test.ts'],
    { cwd: dir, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  );
  expect(await child.exited).toBe(1);
  expect(failedTests(readFileSync(join(dir, 'report.xml'), 'utf8'))).toEqual([
    { file: 'odd.test.ts', name: 'a "group" > fails & <says> so' },
    { file: 'odd.test.ts', name: 'a "group" > an inner one > fails, too' },
    { file: 'odd.test.ts', name: 'fails alone' },
  ]);
  rmSync(dir, { recursive: true });
});
