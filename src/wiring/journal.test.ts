/* The capture journal in the whole program: what must not stop filing. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { nonceBytes } from '../core/ids/ids.ts';
import type { NewEvent } from '../ingest/row-encoder.ts';
import { isRemote } from '../testing/remote/databases.ts';
import { openTestServer, randomBytes, type TestAccount, type TestServer } from '../testing/test-server.ts';
import { journalDirectory } from './journal.ts';

let server: TestServer;
let account: TestAccount;
let now: number;
beforeEach(async () => {
  now = 0;
  server = await openTestServer({ clock: { ...systemClock, monotonic: () => now } });
  account = await server.createAccount();
});
afterEach(() => server.close());

const imported = (endpoint: number, method: string): NewEvent => ({
  nonce: randomBytes(nonceBytes),
  endpoint,
  receivedAt: Date.now(),
  method,
  platform: null,
  eventType: null,
  verdict: null,
  sourceIp: '',
  path: '',
  query: null,
  delivery: 0,
  headersJson: '[]',
  body: Buffer.from('x'),
});

describe.skipIf(isRemote)('the capture journal', () => {
  test('imported rows that cannot be packed leave no gap for which filing waits', async () => {
    const endpoint = await account.createEndpoint();
    const tooLong = server.services.insertImported([imported(1, 'M'.repeat(20_000))]);
    expect(await tooLong.catch((error: Error) => error.message)).toBe('method is too long');
    const id = await server.deliver(endpoint);
    expect((await account.json(200, 'GET', `/api/events/${id}`))['id']).toBe(id);
  });

  test('the server is not ready while the journal cannot be written, and heals by itself', async () => {
    const endpoint = await account.createEndpoint();
    const directory = journalDirectory(server.services.database.file ?? '');
    const refusal = () => server.deliver(endpoint).catch((error: Error) => error.message);
    writeFileSync(directory, 'in the way');
    expect(await refusal()).toContain('503');
    expect(await server.services.readiness.problem()).toBeDefined();
    rmSync(directory);
    now += 1001;
    expect(await server.services.readiness.problem()).toBeUndefined();
    expect(await server.deliver(endpoint)).toStartWith('evt_');
  });

  test('renewing removes every file with a delivery that is a row, while others arrive', async () => {
    const endpoint = await account.createEndpoint();
    const { journal, database } = server.services;
    const directory = journalDirectory(database.file ?? '');
    const filesWith = (text: string) =>
      readdirSync(directory).filter(name => readFileSync(join(directory, name)).includes(text));
    await server.deliver(endpoint, 'OLD-DELIVERY');
    await journal?.filed();
    expect(filesWith('OLD-DELIVERY')).toHaveLength(1);
    let isDone = false;
    const renewing = journal?.renew().then(() => {
      isDone = true;
    });
    const ids: string[] = [];
    do ids.push(await server.deliver(endpoint, `new ${ids.length}`));
    while (!isDone);
    await renewing;
    expect(filesWith('OLD-DELIVERY')).toEqual([]);
    // Without any delivery, too.
    await journal?.renew();
    expect(filesWith('new ')).toEqual([]);
    ids.push(await server.deliver(endpoint));
    for (const id of ids) expect((await account.json(200, 'GET', `/api/events/${id}`))['id']).toBe(id);
  });

  test('a failure of filing is logged once, not at each attempt', async () => {
    const own = await openTestServer();
    const endpoint = await (await own.createAccount()).createEndpoint();
    // A first delivery, so that the journal has its file open.
    await own.deliver(endpoint);
    await own.services.journal?.filed();
    rmSync(journalDirectory(own.services.database.file ?? ''), { recursive: true });
    await own.deliver(endpoint);
    await own.services.journal?.filed();
    // Closing tries again.
    await own.close();
    expect(own.lines.filter(({ message }) => message.includes('cannot be moved into the database'))).toHaveLength(1);
  });

  test('a live stream gets what was acknowledged while filing failed', async () => {
    const endpoint = await account.createEndpoint();
    const { teamId } = await server.services.account.byEmail(account.email);
    const principal = { accountId: account.accountId, teamId, plan: 'pro' as const };
    const tail = await server.services.notifications.openTail({
      principal,
      endpointId: endpoint.id,
      after: undefined,
      recheck: async () => principal,
    });
    // A first delivery, so that the journal has its file open.
    const first = await server.deliver(endpoint);
    expect(await tail.next({ waitMs: 60_000 })).toMatchObject({ kind: 'events', events: [{ id: first }] });
    const directory = journalDirectory(server.services.database.file ?? '');
    renameSync(directory, `${directory}.away`);
    const id = await server.deliver(endpoint);
    expect(await tail.next({ waitMs: 0 })).toEqual({ kind: 'timeout' });
    expect(server.services.journal?.failure()).toBeDefined();
    renameSync(`${directory}.away`, directory);
    expect(await tail.next({ waitMs: 60_000 })).toMatchObject({ kind: 'events', events: [{ id }] });
    tail.close();
  });
});
