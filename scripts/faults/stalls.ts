/* Requests whose bodies stall: other clients are still served, and the stalled requests are cut. The client addresses are loopback addresses. */

import { freePort } from '../../src/testing/free-port.ts';
import { firstApi, ingestAddress } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import { install, type Server, withInstallation } from '../lib/installation.ts';
import { highestResident, residentMegabytes, until } from '../lib/process.ts';
import { type Answer, connect } from '../lib/wire.ts';

const uploadCount = 8;
const uploadBytes = 32 << 20;
const stallAfterBytes = 17 << 20;
const cutTimeoutMs = 30_000;
/** Half of the budget for large deliveries and one more large delivery, several times (received, encoded, in the writer). */
const maxGrowthMegabytes = 600;

const anonymousCount = 70;
const anonymousBytes = 16 << 10;
const anonymousTimeoutMs = 14_000;

const [attacker, other] = ['127.0.0.1', '127.0.0.2'];

const requestHead = (path: string, bytes: number, type = 'application/json'): Buffer =>
  Buffer.from(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`);

/** @returns the response; undefined if the connection ended without one */
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

async function withServer<T>(attack: (server: Server, ingest: () => Promise<string>) => Promise<T>): Promise<T> {
  return withInstallation(install({ HOOKTAPE_RATE_LIMIT: '1000000' }), async installation => {
    const server = await installation.start(await freePort());
    const api = await firstApi(installation, server);
    const ingest = async () => new URL(ingestAddress(server, await api.createEndpoint('stalls'))).pathname;
    const result = await attack(server, ingest);
    await server.stop();
    return result;
  });
}

/** Counts the finished requests by status, 0 for none. The map is updated while requests finish. */
function countStatuses(responses: readonly Promise<Answer | undefined>[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const response of responses)
    void response.then(answer => counts.set(answer?.status ?? 0, (counts.get(answer?.status ?? 0) ?? 0) + 1));
  return counts;
}
const total = (counts: Map<number, number>): number => counts.values().reduce((sum, count) => sum + count, 0);
const format = (counts: Map<number, number>): string =>
  [...counts].map(([status, count]) => `${count} x ${status}`).join(', ');

async function attackIngest(server: Server, ingest: () => Promise<string>): Promise<string> {
  const [attacked, spared] = [await ingest(), await ingest()];
  const small = Buffer.from('{"small":true}');
  const large = Buffer.alloc(uploadBytes, 'y');
  const before = residentMegabytes(server.pid);
  let statuses = new Map<number, number>();
  let cutMs = 0;
  const highest = await highestResident(server.pid, async () => {
    const head = requestHead(attacked, uploadBytes);
    statuses = countStatuses(Array.from({ length: uploadCount }, () => stall(server, head, stallAfterBytes)));
    // Uploads over the share of the address are refused, the others are waiting.
    await until('the share is used up', 10_000, () => (statuses.get(503) ?? 0) > 0);
    for (const from of [attacker, other])
      for (const path of [attacked, spared]) {
        const status = await send(server, from, path, small);
        ensure(status === 200, `a small delivery from ${from} was answered with ${status}`);
      }
    const status = await send(server, other, spared, large);
    ensure(status === 200, `a large delivery from another address was answered with ${status}`);
    ensure(total(statuses) < uploadCount, `no upload is waiting any more: ${format(statuses)}`);
    cutMs = await until('the stalled uploads are cut', cutTimeoutMs, () => total(statuses) === uploadCount);
  });
  ensure((statuses.get(408) ?? 0) > 0, format(statuses));
  const status = await send(server, attacker, attacked, large);
  ensure(status === 200, `after the attack a large delivery was answered with ${status}`);
  const memory = `${before.toFixed(0)} MB before, at most ${highest.toFixed(0)} MB during the attack`;
  ensure(highest < before + maxGrowthMegabytes, memory);
  return `${format(statuses)}, the last after ${cutMs.toFixed(0)} ms; ${memory}`;
}

async function attackSignIn(server: Server): Promise<string> {
  const form = 'application/x-www-form-urlencoded';
  const kinds = [requestHead('/api/session', anonymousBytes), requestHead('/token', anonymousBytes, form)];
  const statuses = countStatuses(
    Array.from({ length: anonymousCount }, (_, i) =>
      stall(server, kinds[i % kinds.length] as Buffer, anonymousBytes - 100),
    ),
  );
  await Bun.sleep(500);
  ensure(total(statuses) === 0, `the requests are not waiting: ${format(statuses)}`);
  const wrong = Buffer.from('{"email":"owner@example.com","password":"not the right one"}');
  for (const from of [other, attacker]) {
    const status = await send(server, from, '/api/session', wrong);
    ensure(status === 401, `a sign-in from ${from} was answered with ${status}`);
  }
  const ms = await until('the requests are cut', anonymousTimeoutMs, () => total(statuses) === anonymousCount);
  ensure(statuses.get(408) === anonymousCount, format(statuses));
  return `${format(statuses)} after ${ms.toFixed(0)} ms`;
}

export async function checkStalls({ check }: Checks): Promise<void> {
  const size = (bytes: number): string => `${bytes >> 20} MiB`;
  await check(
    `${uploadCount} uploads of ${size(uploadBytes)} that stall at ${size(stallAfterBytes)} do not block other deliveries`,
    () => withServer(attackIngest),
  );
  await check(`${anonymousCount} incomplete bodies without credentials do not block sign-ins`, () =>
    withServer(attackSignIn),
  );
}
