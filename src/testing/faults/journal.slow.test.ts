/*
 * Acknowledged deliveries that a killed server did not file are rows after the next start, or in what a command sees, wherever the
 * journal and the database come from.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { hooktape } from '../command.ts';
import { type HeldFiling, openHeldFiling } from '../held-filing.ts';
import { isRemote } from '../remote/databases.ts';
import { testSecret } from '../test-server.ts';

const journalOf = (directory: string): string => join(directory, 'hooktape.db.capture');
const commandEnv = (directory: string) => ({ HOOKTAPE_DATA_DIR: directory, HOOKTAPE_SECRET: testSecret });

let harness: HeldFiling;
beforeEach(async () => {
  harness = await openHeldFiling();
});
afterEach(() => harness.close());

describe.skipIf(isRemote)('the start after a kill', () => {
  test('files what was acknowledged, and reads see it at once', async () => {
    const filed = await harness.deliverAll('a');
    await harness.idsIn(harness.server);
    harness.hold();
    const ids = [...filed, ...(await harness.deliverAll('b', 'c'))];
    const directory = harness.killedCopy();
    harness.release();
    await harness.withNextServer(directory, async next => {
      expect(await harness.idsIn(next)).toEqual(ids);
      expect(await harness.bodyIn(next, ids[2] ?? '')).toBe('c');
      expect(next.lines.map(({ message, fields }) => [message, fields['deliveries']])).toContainEqual([
        expect.stringContaining('capture journal'),
        2,
      ]);
    });
    expect(existsSync(journalOf(directory))).toBe(false);
  });

  test('is killed as well before it files anything, twice, and nothing is lost or stored twice', async () => {
    harness.hold();
    const ids = await harness.deliverAll('a', 'b');
    let directory = harness.killedCopy();
    for (let kills = 0; kills < 2; kills++) {
      const starting = await harness.open(directory);
      const again = join(harness.base, `again-${kills}`);
      cpSync(directory, again, { recursive: true });
      harness.release();
      await starting.close();
      harness.hold();
      directory = again;
    }
    harness.release();
    await harness.withNextServer(directory, async next => {
      expect(await harness.idsIn(next)).toEqual(ids);
      const more = await next.deliver(harness.endpoint, 'c');
      expect(await harness.idsIn(next)).toEqual([...ids, more]);
    });
    await harness.withNextServer(directory, async next => expect((await harness.idsIn(next)).length).toBe(3));
  });

  test('finds the same when the kill came after filing and before the journal was given back', async () => {
    const ids = await harness.deliverAll('a', 'b', 'c');
    expect(await harness.idsIn(harness.server)).toEqual(ids);
    const directory = harness.killedCopy();
    expect(readdirSync(journalOf(directory))).not.toBeEmpty();
    await harness.withNextServer(directory, async next => {
      expect(await harness.idsIn(next)).toEqual(ids);
      const [more, ...rest] = [await next.deliver(harness.endpoint, 'd'), await next.deliver(harness.endpoint, 'e')];
      expect(await harness.idsIn(next)).toEqual([...ids, more, ...rest]);
    });
  });

  test('accepts deliveries while the old ones are not filed, and keeps the order', async () => {
    harness.hold();
    const ids = await harness.deliverAll('a', 'b');
    const directory = harness.killedCopy();
    await harness.withNextServer(directory, async next => {
      const more = await next.deliver(harness.endpoint, 'c');
      const listed = harness.idsIn(next);
      harness.release();
      expect(await listed).toEqual([...ids, more]);
    });
  });
});

describe.skipIf(isRemote)('a journal beside a database that it was not written for', () => {
  test('of another database is moved aside and logged', async () => {
    harness.hold();
    await harness.deliverAll('a', 'b');
    const other = join(harness.base, 'other');
    await (await harness.open(other)).close();
    cpSync(journalOf(harness.killedCopy()), journalOf(other), { recursive: true });
    const next = await harness.open(other);
    try {
      const logged = next.lines.find(({ level, message }) => level === 'error' && message.includes('another database'));
      const movedTo = String(logged?.fields['movedTo']);
      expect(readdirSync(movedTo)).not.toBeEmpty();
      harness.release();
      const bob = await next.createAccount('bob@example.com');
      const inbox = await bob.createEndpoint();
      await next.deliver(inbox, 'own');
      expect(await bob.json(200, 'GET', `/api/endpoints/${inbox.id}`)).toMatchObject({ eventCount: 1 });
    } finally {
      await next.close();
    }
  });

  test('of which it is a restored backup brings back what came after the backup', async () => {
    const before = await harness.deliverAll('a', 'b');
    const backup = join(harness.base, 'backup.db');
    await harness.server.services.database.maintenance?.copyInto(backup);
    const filedLater = await harness.deliverAll('c');
    expect(await harness.idsIn(harness.server)).toEqual([...before, ...filedLater]);
    harness.hold();
    const unfiled = await harness.deliverAll('d');
    const directory = harness.killedCopy();
    harness.release();
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(directory, `hooktape.db${suffix}`), { force: true });
    copyFileSync(backup, join(directory, 'hooktape.db'));
    await harness.withNextServer(directory, async next => {
      expect(await harness.idsIn(next)).toEqual([...before, ...filedLater, ...unfiled]);
      expect(await harness.bodyIn(next, unfiled[0] ?? '')).toBe('d');
    });
  });
});

describe.skipIf(isRemote)('commands in the directory of a killed server', () => {
  test('check sees everything and finds no problem', async () => {
    harness.hold();
    const ids = await harness.deliverAll('a', 'b');
    const directory = harness.killedCopy();
    expect(await hooktape(commandEnv(directory), 'check')).toMatchObject({ exitCode: 0 });
    harness.release();
    await harness.withNextServer(directory, async next => expect(await harness.idsIn(next)).toEqual(ids));
  });

  test('check tells of a journal file whose header is damaged', async () => {
    harness.hold();
    await harness.deliverAll('a');
    const directory = harness.killedCopy();
    const paths = readdirSync(journalOf(directory)).map(name => join(journalOf(directory), name));
    const used = paths.find(path => readFileSync(path).some(byte => byte !== 0)) ?? '';
    const file = openSync(used, 'r+');
    writeSync(file, Buffer.of(0xff), 0, 1, 20);
    closeSync(file);
    harness.release();
    const { exitCode, stdout } = await hooktape(commandEnv(directory), 'check');
    expect(stdout).toContain(`${used}.damaged is damaged on disk`);
    expect(exitCode).toBe(1);
  });

  test('backup has everything in it', async () => {
    harness.hold();
    const ids = await harness.deliverAll('a', 'b');
    const directory = harness.killedCopy();
    const backup = join(harness.base, 'backup.db');
    expect(await hooktape(commandEnv(directory), 'backup', backup)).toMatchObject({ exitCode: 0 });
    const restored = join(harness.base, 'restored');
    expect(await hooktape(commandEnv(restored), 'restore', backup)).toMatchObject({ exitCode: 0 });
    harness.release();
    await harness.withNextServer(restored, async next => expect(await harness.idsIn(next)).toEqual(ids));
  });
});
