import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
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
import { addonDirs, extractAddon, lazyNative, loadAddon } from './native-addon.ts';

const addon = new TextEncoder().encode('not really an addon');
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hooktape-addon-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

describe('extracting the addon', () => {
  test('writes it executable for its owner alone, and leaves nothing else', () => {
    const path = extractAddon(addon, dir);
    expect(new Uint8Array(readFileSync(path))).toEqual(addon);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(readdirSync(dir)).toHaveLength(1);
  });

  test('uses an identical file again: threads must map one and the same', () => {
    const { ino } = statSync(extractAddon(addon, dir));
    expect(statSync(extractAddon(addon, dir)).ino).toBe(ino);
  });

  test('gives an absolute path for a relative directory', () => {
    expect(extractAddon(addon, relative(process.cwd(), dir))).toBe(extractAddon(addon, dir));
  });

  test('another addon gets another name', () => {
    expect(extractAddon(new Uint8Array([1]), dir)).not.toBe(extractAddon(addon, dir));
  });

  test('refuses a file of that name with other bytes, and does not replace it', () => {
    const path = extractAddon(addon, dir);
    chmodSync(path, 0o700);
    writeFileSync(path, 'evil'.padEnd(addon.length));
    expect(() => extractAddon(addon, dir)).toThrow('is not what it should be');
    expect(readFileSync(path, 'utf8')).toStartWith('evil');
    expect(readdirSync(dir)).toHaveLength(1);
  });

  test('refuses a symbolic link, even to the right bytes', () => {
    const path = extractAddon(addon, dir);
    rmSync(path);
    writeFileSync(join(dir, 'elsewhere'), addon);
    symlinkSync(join(dir, 'elsewhere'), path);
    expect(() => extractAddon(addon, dir)).toThrow('is not what it should be');
  });
});

describe('loading the addon', () => {
  test('tries every directory and names each with its reason', () => {
    const missing = join(dir, 'missing');
    mkdirSync(join(dir, 'here'));
    const attempt = () => loadAddon(addon, [missing, join(dir, 'here')]);
    expect(attempt).toThrow(missing);
    expect(attempt).toThrow(join(dir, 'here'));
    expect(attempt).toThrow('no directory can hold the database engine');
  });

  test('looks into the data directory first', () => {
    expect(addonDirs({ HOOKTAPE_DATA_DIR: '/srv/tape' })[0]).toBe('/srv/tape');
    expect(addonDirs({})).not.toContain('');
  });

  test('waits for the first call, happens once and keeps `this`', () => {
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
