/*
 * Attacks on the server's memory: a body in chunks of one byte, and thousands of pipelined requests whose responses are not read.
 * Each sends at most about 200 MB.
 */
import { connect, type Socket } from 'node:net';
import { freePort } from '../../src/testing/free-port.ts';
import { type Api, firstApi, ingestAddress } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import { install, type Server, withInstallation } from '../lib/installation.ts';
import { highestResident, residentMegabytes } from '../lib/process.ts';

const bodyBytes = 32 << 20;
const chunksPerWrite = 65_536;
const responseTimeoutMs = 120_000;
const eventBytes = 1 << 20;
const unreadRequests = 4000;
const watchMs = 6000;
/** The growth over the idle program: 32 MiB several times (received, encoded, in the writer, not yet collected). */
const maxGrowthMegabytes = 300;

async function dial(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  await new Promise(resolve => socket.once('connect', resolve).once('close', resolve));
  return socket;
}

/** @returns the status line of the response */
async function sendByteByByte(port: number, path: string): Promise<string> {
  const socket = await dial(port);
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  const timer = setTimeout(() => socket.destroy(), responseTimeoutMs);
  const chunks = Buffer.from('1\r\nx\r\n'.repeat(chunksPerWrite));
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`);
  for (let sent = 0; sent < bodyBytes && socket.writable && answer === ''; sent += chunksPerWrite)
    if (!socket.write(chunks)) await Promise.race([new Promise(resolve => socket.once('drain', resolve)), closed]);
  if (socket.writable) socket.write('0\r\n\r\n');
  await closed;
  clearTimeout(timer);
  return answer.split('\r\n', 1)[0] ?? '';
}

/** Pipelines all requests and reads no response. */
async function requestWithoutReading(port: number, request: string): Promise<string> {
  const socket = await dial(port);
  socket.pause();
  socket.write(request.repeat(unreadRequests));
  await Bun.sleep(watchMs);
  socket.destroy();
  return `${unreadRequests} requests`;
}

export async function checkGreed({ check }: Checks): Promise<void> {
  const attacks: [string, (server: Server, api: Api) => Promise<string>][] = [
    [
      `a body of ${bodyBytes >> 20} MiB in chunks of one byte`,
      async (server, api) => {
        const { pathname } = new URL(ingestAddress(server, await api.createEndpoint('greed')));
        const status = await sendByteByByte(server.port, pathname);
        ensure(status.includes(' 200 '), `it was answered with ${JSON.stringify(status)}`);
        return status;
      },
    ],
    [
      'thousands of unread responses with the API description',
      ({ port }) => requestWithoutReading(port, 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    ],
    [
      `thousands of unread responses of ${eventBytes >> 20} MiB`,
      async (server, api) => {
        const address = ingestAddress(server, await api.createEndpoint('greed'));
        const body = crypto.getRandomValues(new Uint8Array(65_536));
        const delivery = await fetch(address, {
          method: 'POST',
          body: new Blob(new Array(eventBytes >> 16).fill(body)),
        });
        const { id } = (await delivery.json()) as { id: string };
        return requestWithoutReading(
          server.port,
          `GET /api/events/${id}/raw HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n\r\n`,
        );
      },
    ],
  ];
  for (const [name, attack] of attacks)
    await check(`${name} cost at most ${maxGrowthMegabytes} MB`, async () => {
      return withInstallation(install({ HOOKTAPE_RATE_LIMIT: '1000000' }), async installation => {
        const server = await installation.start(await freePort());
        const api = await firstApi(installation, server);
        const before = residentMegabytes(server.pid);
        let note = '';
        const highest = await highestResident(server.pid, async () => {
          note = await attack(server, api);
        });
        ensure((await fetch(`${server.origin}/readyz`)).ok, 'the server is not ready');
        const summary = `${note}; ${before.toFixed(0)} MB before, at most ${highest.toFixed(0)} MB during the attack`;
        ensure(highest < before + maxGrowthMegabytes, summary);
        await server.stop();
        return summary;
      });
    });
}
