import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restrictToOwner } from './file-mode.ts';

test('a file of ours is for its owner alone', () => {
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

// Nobody may change its mode, not even the superuser.
test.skipIf(!existsSync('/proc/self/status'))('one whose mode is not ours to change stays as it is', () => {
  const { mode } = statSync('/proc/self/status');
  restrictToOwner('/proc/self/status');
  expect(statSync('/proc/self/status').mode).toBe(mode);
});
