import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restrictToOwner } from './publish-file.ts';

test('a file of our own can be read only by its owner', () => {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  try {
    const file = join(directory, 'file');
    writeFileSync(file, '', { mode: 0o664 });
    restrictToOwner(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(() => restrictToOwner(join(directory, 'missing'))).toThrow('ENOENT');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

// Not even root can change the mode of this file.
test.skipIf(!existsSync('/proc/self/status'))('a file whose mode cannot be changed is left alone', () => {
  const { mode } = statSync('/proc/self/status');
  restrictToOwner('/proc/self/status');
  expect(statSync('/proc/self/status').mode).toBe(mode);
});
