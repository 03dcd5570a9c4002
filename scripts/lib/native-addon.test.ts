import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type Addon, addonDirs, extractAddon, lazyNative, loadAddon } from './native-addon.ts';

const bytes = new TextEncoder().encode('not really an addon');
const addon: Addon = {
  name: '.addon.node',
  size: bytes.length,
  sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
  read: () => bytes,
  compared: false,
};
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hooktape-addon-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

describe('extracting the addon', () => {
  test('writes an executable file that only its owner can access, and no other file', () => {
    const path = extractAddon(addon, dir);
    expect(new Uint8Array(readFileSync(path))).toEqual(bytes);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(readdirSync(dir)).toHaveLength(1);
  });

  test('reuses an identical file, because all threads must map the same one', () => {
    const { ino } = statSync(extractAddon(addon, dir));
    expect(statSync(extractAddon(addon, dir)).ino).toBe(ino);
  });

  test('returns an absolute path for a relative directory', () => {
    expect(extractAddon(addon, relative(process.cwd(), dir))).toBe(extractAddon(addon, dir));
  });

  test.each([true, false])(
    'does not read the embedded addon for a file that is there; compared before: %p',
    compared => {
      const path = extractAddon(addon, dir);
      const read = () => {
        throw new Error('read again');
      };
      expect(extractAddon({ ...addon, read, compared }, dir)).toBe(path);
    },
  );

  test('does not compare the file again after another thread has', () => {
    const path = extractAddon(addon, dir);
    writeFileSync(path, 'x'.padEnd(bytes.length));
    expect(extractAddon({ ...addon, compared: true }, dir)).toBe(path);
    expect(readFileSync(path, 'utf8')).toStartWith('x');
  });

  test.each([true, false])('replaces a truncated file with the same name; compared before: %p', compared => {
    writeFileSync(join(dir, addon.name), '');
    expect(readFileSync(extractAddon({ ...addon, compared }, dir))).toEqual(Buffer.from(bytes));
    expect(readdirSync(dir)).toHaveLength(1);
  });

  test('replaces a file that has the same name and other bytes', () => {
    writeFileSync(join(dir, addon.name), 'evil'.padEnd(bytes.length), { mode: 0o755 });
    const path = extractAddon(addon, dir);
    expect(readFileSync(path)).toEqual(Buffer.from(bytes));
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(readdirSync(dir)).toHaveLength(1);
  });

  test.each([true, false])('replaces a symbolic link, even to an identical file; compared before: %p', compared => {
    const elsewhere = join(dir, 'elsewhere');
    writeFileSync(elsewhere, bytes);
    symlinkSync(elsewhere, join(dir, addon.name));
    expect(lstatSync(extractAddon({ ...addon, compared }, dir)).isFile()).toBe(true);
    expect(lstatSync(elsewhere).isFile()).toBe(true);
  });
});

describe('loading the addon', () => {
  test('tries every directory and reports the reason for each', () => {
    const missing = join(dir, 'missing');
    mkdirSync(join(dir, 'here'));
    const attempt = () => loadAddon(addon, [missing, join(dir, 'here')]);
    expect(attempt).toThrow(missing);
    expect(attempt).toThrow(join(dir, 'here'));
    expect(attempt).toThrow(
      /^no directory for the database engine is writable[\s\S]*\n.*set HOOKTAPE_DATA_DIR to such a directory\.$/,
    );
    expect(attempt).toThrow(expect.objectContaining({ code: 'ERR_DLOPEN_FAILED' }));
  });

  test('tries the data directory first', () => {
    expect(addonDirs({ HOOKTAPE_DATA_DIR: '/srv/tape' })[0]).toBe('/srv/tape');
    expect(addonDirs({})).not.toContain('');
  });

  test('happens once, at the first call, and passes `this` on', () => {
    let loads = 0;
    const native = lazyNative(() => {
      loads++;
      return {
        size: function (this: unknown, ...args: unknown[]) {
          return [this, ...args];
        },
      };
    });
    const { size, other } = native;
    expect(loads).toBe(0);
    expect(size?.call('database', 1, 2)).toEqual(['database', 1, 2]);
    expect(size?.call('statement')).toEqual(['statement']);
    expect(loads).toBe(1);
    expect(() => other?.()).toThrow('no function other');
  });
});
