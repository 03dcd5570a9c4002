/* Exports of large events over real sockets: their memory counts together with all other reads of large events. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { type HeldClock, holdClock } from '../../testing/clock.ts';
import { eventually } from '../../testing/poll.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

setDefaultTimeout(120_000);

const eventBytes = 20 << 20;
/** The memory for an event that is read: its body, and the block that it is unpacked from. */
const heldForOne = 2 * eventBytes;
const events = 2;

let server: TestServer;
let clock: HeldClock;
let accounts: TestAccount[];
let endpoint: { id: string };
const sockets: Socket[] = [];

beforeAll(async () => {
  clock = holdClock();
  server = await openTestServer({ clock });
  const ada = await server.createAccount('ada@example.com');
  accounts = [ada, await server.createAccount('bob@example.com', { teamOf: 'ada@example.com' })];
  const created = await ada.createEndpoint();
  const body = JSON.stringify({ n: 1, text: 'x'.repeat(eventBytes) }).slice(0, eventBytes - 2);
  for (let n = 0; n < events; n++) await server.deliver(created, `${body}"}`);
  endpoint = created;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await eventually(() => heldBytes() === 0, 20_000);
});
afterAll(() => server.close());

const heldBytes = (): number => server.services.contentReads.heldBytes();
const pathOf = (query = ''): string => `/api/endpoints/${endpoint.id}/export?format=ndjson${query}`;

/** Asks for an export, and reads nothing of it. */
async function ask({ key }: TestAccount, query = ''): Promise<Socket> {
  const socket = connect(Number(new URL(await server.listen()).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  socket.pause();
  socket.write(`GET ${pathOf(query)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}

/** Reads the rest of a response. @returns how many bytes, and whether it is complete */
async function readAll(socket: Socket): Promise<{ bytes: number; isComplete: boolean }> {
  let bytes = 0;
  let end = '';
  socket.on('data', chunk => {
    bytes += chunk.length;
    end = (end + chunk.toString('latin1')).slice(-5);
  });
  socket.resume();
  await new Promise(resolve => socket.once('close', resolve));
  return { bytes, isComplete: end === '0\r\n\r\n' };
}

test('an export holds the memory of the event that it writes, until its client has left', async () => {
  await ask(accounts[0] as TestAccount);
  await eventually(() => heldBytes() === heldForOne);
});

test('exports whose filter reads large events, too, share the budget, and all are complete', async () => {
  const where = `&where=${encodeURIComponent('body.n:1')}`;
  const asked = await Promise.all(accounts.flatMap(account => Array.from({ length: 3 }, () => ask(account, where))));
  await eventually(() => heldBytes() >= 3 * heldForOne, 30_000);
  let highest = 0;
  const watching = setInterval(() => {
    highest = Math.max(highest, heldBytes());
  }, 5);
  const files = await Promise.all(asked.map(readAll));
  clearInterval(watching);
  // The two accounts leave some of the budget to others.
  expect(highest).toBeLessThanOrEqual(5 * heldForOne);
  for (const { bytes, isComplete } of files) expect([bytes > events * eventBytes, isComplete]).toEqual([true, true]);
});

test('a client that stopped reading loses its export to one that reads', async () => {
  const [ada] = accounts as [TestAccount];
  const stalled = await Promise.all([ada, ada, ada].map(account => ask(account)));
  await eventually(() => heldBytes() === 3 * heldForOne);
  await Promise.all(stalled.map(socket => new Promise(resolve => socket.once('readable', resolve))));
  clock.advance(5000);
  // The account has its share already.
  expect(await readAll(await ask(ada))).toMatchObject({ isComplete: true });
  const files = await Promise.all(stalled.map(readAll));
  expect(files.filter(({ isComplete }) => !isComplete).length).toBeGreaterThan(0);
});
