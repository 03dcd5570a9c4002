/*
 * Sends malformed HTTP on raw sockets: truncated and repeated requests with random changes, in an order that the seed determines.
 * The server must keep running, never answer with 500, and not leak memory.
 */
import { connect } from 'node:net';
import { openInbox } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import { install, withInstallation } from '../lib/installation.ts';
import { createRandom } from '../lib/payloads.ts';
import { residentMegabytes } from '../lib/process.ts';

const concurrentSenders = 32;

const validRequests = (ingest: string): string[] => [
  `POST ${ingest} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello`,
  `POST ${ingest}/a?b=c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  `GET ${ingest} HTTP/1.0\r\n\r\n`,
  'GET /api/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer htk_x\r\n\r\n',
  'POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 31\r\n\r\n{"email":"a@b.c","password":""}',
  'GET /docs HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  `POST ${ingest} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  'GET /metrics HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
];
const insertions = [
  '\r\n',
  '\0',
  ':',
  ' ',
  '\t',
  '%00',
  '../',
  '//',
  'Content-Length: 18446744073709551616',
  'chunked, chunked',
];

function mutate(text: string, random: (below: number) => number): Buffer {
  let bytes = Buffer.from(text, 'latin1');
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = random(bytes.length + 1);
    const until = Math.min(bytes.length, at + random(24));
    switch (random(6)) {
      case 0:
        bytes = bytes.subarray(0, at);
        break;
      case 1:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(until)]);
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, until), bytes.subarray(at)]);
        break;
      case 3:
        bytes = Buffer.concat([
          bytes.subarray(0, at),
          Buffer.from(insertions[random(insertions.length)] ?? '', 'latin1'),
          bytes.subarray(at),
        ]);
        break;
      case 4:
        bytes = Buffer.from(bytes);
        if (at < bytes.length) bytes[at] = random(256);
        break;
      default:
        bytes = Buffer.concat([bytes, bytes]);
    }
    if (bytes.length > 65_536) bytes = bytes.subarray(0, 65_536);
  }
  return bytes;
}

/**
 * Sends the bytes in two parts and reads the beginning of the response.
 * @returns the beginning of the response, and whether the connection was refused
 */
function send(port: number, bytes: Buffer, split: number): Promise<{ answer: string; refused: boolean }> {
  return new Promise(resolve => {
    let answer = '';
    let refused = false;
    const socket = connect({ port, host: '127.0.0.1' });
    const timer = setTimeout(() => socket.destroy(), 150);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      answer += chunk;
      socket.destroy();
    });
    socket.on('error', error => {
      refused ||= (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ answer, refused });
    });
    socket.on('connect', () => {
      socket.write(bytes.subarray(0, split));
      if (split < bytes.length) setTimeout(() => socket.writable && socket.write(bytes.subarray(split)), 1);
    });
  });
}

export async function checkFuzz({ check }: Checks, seconds: number, seed: number): Promise<void> {
  await check(`${seconds} s of malformed HTTP, seed ${seed}`, async () => {
    return withInstallation(install({ HOOKTAPE_LOG_LEVEL: 'error' }), async installation => {
      const { server, address } = await openInbox(installation, 'fuzz');
      const requests = validRequests(new URL(address).pathname);
      const random = createRandom(seed);
      const statuses = new Map<string, number>();
      const before = residentMegabytes(server.pid);
      const deadline = performance.now() + seconds * 1000;
      let sent = 0;
      const sender = async () => {
        while (performance.now() < deadline) {
          const bytes = mutate(requests[random(requests.length)] ?? '', random);
          const split = random(2) === 0 ? bytes.length : random(bytes.length + 1);
          sent++;
          const { answer, refused } = await send(server.port, bytes, split);
          ensure(
            !refused,
            `the server no longer listens after ${JSON.stringify(bytes.toString('latin1'))}\n${server.output()}`,
          );
          const status = /^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? (answer === '' ? 'none' : 'invalid');
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          ensure(
            status !== '500' && status !== 'invalid',
            `${answer.slice(0, 200)}\nto ${JSON.stringify(bytes.toString('latin1'))}`,
          );
        }
      };
      await Promise.all(Array.from({ length: concurrentSenders }, sender));
      const answer = await fetch(address, { method: 'POST', body: 'complete' });
      ensure(answer.status === 200, `a valid delivery afterwards was answered with ${answer.status}`);
      const after = residentMegabytes(server.pid);
      ensure(after < before + 200, `its memory grew from ${before.toFixed(0)} to ${after.toFixed(0)} MB`);
      await server.stop();
      await installation.command(['check']);
      const shown = [...statuses].sort().map(([status, count]) => `${count} x ${status}`);
      return `${sent} requests: ${shown.join(', ')}; ${before.toFixed(0)} -> ${after.toFixed(0)} MB`;
    });
  });
}
