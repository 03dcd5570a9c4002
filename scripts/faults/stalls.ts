/* Requests whose bodies stop halfway: what they hold is missed by nobody else, and they are cut. Sources are addresses of loopback. */
import { firstApi, ingestAddress } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import { freePort, install, type Server } from '../lib/installation.ts';
import { highestResident, residentMegabytes, until } from '../lib/process.ts';
import { type Answer, connect } from '../lib/wire.ts';

const uploadCount = 8;
const uploadBytes = 32 << 20;
const stallAfterBytes = 17 << 20;
const cutTimeoutMs = 30_000;
/** Half of the budget of large deliveries and a whole one beside it, in several forms. */
const maxGrowthMegabytes = 600;

const anonymousCount = 70;
const anonymousBytes = 16 << 10;
const anonymousTimeoutMs = 14_000;

const [attacker, other] = ['127.0.0.1', '127.0.0.2'];

const requestHead = (path: string, bytes: number, type = 'application/json'): Buffer =>
  Buffer.from(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`);

/** @returns the answer that ends it; undefined when there was none */
async function stall(server: Server, head: Buffer, sent: number): Promise<Answer | undefined> {
  const connection = await connect(server.origin, attacker);
  return connection
    .send(Buffer.concat([head, Buffer.alloc(sent, 'x')]))
    .catch(() => undefined)
    .finally(connection.close);
}

async function send(server: Server, from: string, path: string, body: Buffer): Promise<number> {
  const connection = await connect(server.origin, from);
  try {
    return (await connection.send(Buffer.concat([requestHead(path, body.length), body]))).status;
  } finally {
    connection.close();
  }
}

async function onServer<T>(attack: (server: Server, ingest: () => Promise<string>) => Promise<T>): Promise<T> {
  const installation = install({ HOOKTAPE_RATE_LIMIT: '1000000' });
  try {
    const server = await installation.start(await freePort());
    const api = await firstApi(installation, server);
    const ingest = async () => new URL(ingestAddress(server, await api.createEndpoint('stalls'))).pathname;
    const result = await attack(server, ingest);
    ensure((await server.end('SIGTERM')) === 0, `it ended badly:\n${server.output()}`);
    return result;
  } finally {
    await installation.remove();
  }
}

/** Settled ones by their status, 0 for none. */
function countEnds(ends: readonly Promise<Answer | undefined>[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const end of ends)
    void end.then(answer => counts.set(answer?.status ?? 0, (counts.get(answer?.status ?? 0) ?? 0) + 1));
  return counts;
}
const total = (counts: Map<number, number>): number => counts.values().reduce((sum, count) => sum + count, 0);
const shown = (counts: Map<number, number>): string =>
  [...counts].map(([status, count]) => `${count} x ${status}`).join(', ');

async function attackIngest(server: Server, ingest: () => Promise<string>): Promise<string> {
  const [attacked, spared] = [await ingest(), await ingest()];
  const small = Buffer.from('{"small":true}');
  const large = Buffer.alloc(uploadBytes, 'y');
  const before = residentMegabytes(server.pid);
  let ends = new Map<number, number>();
  let cutMs = 0;
  const highest = await highestResident(server.pid, async () => {
    const head = requestHead(attacked, uploadBytes);
    ends = countEnds(Array.from({ length: uploadCount }, () => stall(server, head, stallAfterBytes)));
    // Those beyond the share are refused; the others are held.
    await until('the share is used up', 10_000, () => (ends.get(503) ?? 0) > 0);
    for (const from of [attacker, other])
      for (const path of [attacked, spared]) {
        const status = await send(server, from, path, small);
        ensure(status === 200, `a small delivery from ${from} was answered ${status}`);
      }
    const status = await send(server, other, spared, large);
    ensure(status === 200, `a large delivery of somebody else was answered ${status}`);
    ensure(total(ends) < uploadCount, `no upload is held any more: ${shown(ends)}`);
    cutMs = await until('the stalled ones are cut', cutTimeoutMs, () => total(ends) === uploadCount);
  });
  ensure((ends.get(408) ?? 0) > 0, shown(ends));
  const status = await send(server, attacker, attacked, large);
  ensure(status === 200, `afterwards a large delivery was answered ${status}`);
  const memory = `${before.toFixed(0)} MB before, at most ${highest.toFixed(0)} MB meanwhile`;
  ensure(highest < before + maxGrowthMegabytes, memory);
  return `${shown(ends)}, the last after ${cutMs.toFixed(0)} ms; ${memory}`;
}

async function attackSignIn(server: Server): Promise<string> {
  const form = 'application/x-www-form-urlencoded';
  const kinds = [requestHead('/api/session', anonymousBytes), requestHead('/token', anonymousBytes, form)];
  const ends = countEnds(
    Array.from({ length: anonymousCount }, (_, i) =>
      stall(server, kinds[i % kinds.length] as Buffer, anonymousBytes - 100),
    ),
  );
  await Bun.sleep(500);
  ensure(total(ends) === 0, `they are not held: ${shown(ends)}`);
  const wrong = Buffer.from('{"email":"owner@example.com","password":"not the right one"}');
  for (const from of [other, attacker]) {
    const status = await send(server, from, '/api/session', wrong);
    ensure(status === 401, `a sign-in from ${from} was answered ${status}`);
  }
  const ms = await until('they are cut', anonymousTimeoutMs, () => total(ends) === anonymousCount);
  ensure(ends.get(408) === anonymousCount, shown(ends));
  return `${shown(ends)} after ${ms.toFixed(0)} ms`;
}

export async function checkStalls({ check }: Checks): Promise<void> {
  const size = (bytes: number): string => `${bytes >> 20} MiB`;
  await check(`${uploadCount} uploads of ${size(uploadBytes)} that stall at ${size(stallAfterBytes)} stop nobody`, () =>
    onServer(attackIngest),
  );
  await check(`${anonymousCount} half-sent bodies without credentials keep nobody from signing in`, () =>
    onServer(attackSignIn),
  );
}
