import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thrownBy } from '../../testing/thrown-by.ts';
import { LockedError, lockDatabase, lockDataDirectory } from './lock.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Locks the directory in another process. */
async function lockElsewhere() {
  const script = `
    const { lockDataDirectory } = await import(${JSON.stringify(join(import.meta.dir, 'lock.ts'))});
    await lockDataDirectory(${JSON.stringify(directory)}, 'hooktape serve (pid ' + process.pid + ')');
    console.log('locked');
    setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' });
  const { value } = await child.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe('locked\n');
  return child;
}

describe('the data directory', () => {
  test('has one holder, whose name a second process gets in its error', async () => {
    const lock = await lockDataDirectory(directory, 'hooktape serve (pid 42)');
    const refused = await lockDataDirectory(directory, 'second').catch(error => error);
    expect(refused).toBeInstanceOf(LockedError);
    expect(refused.message).toBe(`${directory} is in use by hooktape serve (pid 42)`);
    expect(refused.holder).toBe('hooktape serve (pid 42)');
    await lock.release();
    expect(existsSync(join(directory, 'hooktape.lock.holder'))).toBe(false);
    await (await lockDataDirectory(directory, 'third')).release();
  });

  test.skipIf(!existsSync('/dev/full'))('can be locked on a full disk, without a holder name', async () => {
    symlinkSync('/dev/full', join(directory, 'hooktape.lock.holder'));
    const lock = await lockDataDirectory(directory, 'first');
    // Reading it would never end.
    rmSync(join(directory, 'hooktape.lock.holder'));
    const refused = await lockDataDirectory(directory, 'second').catch(error => error);
    expect(refused).toBeInstanceOf(LockedError);
    // Without a name, there may be no holder at all.
    expect(refused.message).toContain('or is on a file system without locks');
    await lock.release();
  });

  test('cannot be locked by two processes, and is free as soon as its holder is killed', async () => {
    const child = await lockElsewhere();
    const refused = await lockDataDirectory(directory, 'me').catch(error => error);
    expect(refused).toMatchObject({ holder: `hooktape serve (pid ${child.pid})` });
    child.kill('SIGKILL');
    await child.exited;
    const lock = await lockDataDirectory(directory, 'me');
    expect(await lockDataDirectory(directory, 'next').catch(error => error)).toMatchObject({ holder: 'me' });
    await lock.release();
  });

  test.each([
    ['a page of zeros', Buffer.alloc(4096)],
    ['something else', Buffer.from('not a lock '.repeat(400))],
  ])('can be locked, by one holder, when a power cut left %s in the lock file', async (_what, content) => {
    writeFileSync(join(directory, 'hooktape.lock'), content);
    const lock = await lockDataDirectory(directory, 'first');
    expect(await thrownBy(lockDataDirectory(directory, 'second'))).toThrow(LockedError);
    await lock.release();
    await (await lockDataDirectory(directory, 'third')).release();
  });

  test('has lock files that only their owner can read', async () => {
    const lock = await lockDataDirectory(directory, 'me');
    for (const name of ['hooktape.lock', 'hooktape.lock.holder'])
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    await lock.release();
  });

  test('that cannot be written fails with the reason, and not as locked', async () => {
    const refused = await lockDataDirectory(join(directory, 'missing'), 'me').catch(error => error);
    expect(refused).toBeInstanceOf(Error);
    expect(refused).not.toBeInstanceOf(LockedError);
  });
});

describe('a database outside the data directory', () => {
  const path = (name: string): string => join(directory, name);
  beforeEach(() => {
    for (const name of ['one', 'two', 'elsewhere']) mkdirSync(path(name));
  });
  const holderOf = (locking: Promise<unknown>): Promise<string> =>
    locking.then(
      () => 'nobody',
      error => `${error.message.replace(directory, '')}`,
    );

  test.each([
    ['has a lock of its own', 'elsewhere/x.db', 'elsewhere/x.db'],
    ['has the lock of the data directory that it is in', 'one/hooktape.db', 'one/hooktape.db'],
    ['has a lock of its own when its name is not the default', 'one/x.db', 'one/x.db'],
    ['has the same lock through a symbolic link', 'elsewhere/x.db', 'two/link.db'],
  ])('%s', async (_what, one, two) => {
    writeFileSync(path('elsewhere/x.db'), '');
    symlinkSync(path('elsewhere/x.db'), path('two/link.db'));
    const lock = await lockDatabase(path('one'), path(one), 'first');
    expect(await holderOf(lockDatabase(path('two'), path(two), 'second'))).toBe(`/${two} is in use by first`);
    // The refused attempt left nothing locked.
    await (await lockDatabase(path('two'), path('two/hooktape.db'), 'second')).release();
    await lock.release();
    await (await lockDatabase(path('two'), path(two), 'second')).release();
  });

  test('that a symbolic link points to has the same lock before and after it is created', async () => {
    symlinkSync('../elsewhere/new.db', path('two/link.db'));
    const lock = await lockDatabase(path('one'), path('two/link.db'), 'first');
    for (const made of [false, true]) {
      if (made) writeFileSync(path('elsewhere/new.db'), '');
      expect(await holderOf(lockDatabase(path('two'), path('two/link.db'), 'second'))).toContain('in use by first');
      expect(await holderOf(lockDatabase(path('two'), path('elsewhere/new.db'), 'second'))).toContain(
        'in use by first',
      );
    }
    await lock.release();
  });

  test('with the default name has the lock of its directory', async () => {
    const lock = await lockDatabase(path('two'), path('one/hooktape.db'), 'first');
    expect(readdirSync(path('one')).sort()).toEqual(['hooktape.lock', 'hooktape.lock.holder']);
    await lock.release();
  });

  test('on a server, or in a directory that does not exist, is not locked', async () => {
    for (const database of [undefined, path('missing/x.db')])
      await (await lockDatabase(path('one'), database, 'first')).release();
    expect(readdirSync(path('one'))).toEqual(['hooktape.lock']);
  });
});
