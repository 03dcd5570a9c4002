/* Slow bodies over real connections, plain and with TLS: above the minimum speed they are accepted, below it they get 408. */
import { afterEach, describe, expect, test } from 'bun:test';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createFront, type Front } from '../../front.ts';
import { selfSigned } from '../../testing/certificate.ts';
import { eventually } from '../../testing/poll.ts';

const certificate = selfSigned();
const silence = 300;

let front: Front | undefined;
let socket: Socket | undefined;
afterEach(async () => {
  socket?.destroy();
  await front?.close(0);
});

/** Answers with the size of the body, from the fast path and from node:http. */
async function open(isSecure: boolean, ready: Promise<unknown> = Promise.resolve()) {
  front = createFront({
    ingest: {
      handleRequest: async (req, res) => {
        await ready;
        let size = 0;
        for await (const chunk of req) size += (chunk as Buffer).length;
        res.end(`got ${size}`);
      },
      fastPath: {
        deliver: async ({ body }) => ({ status: 200, headers: {}, body: `got ${body.length}` }),
        maxBodyBytes: 100_000,
        completeBudget: { take: () => true, give: () => {} },
        unfinishedBudget: { take: () => true, give: () => {} },
        budgetHoldersOf: () => [],
        isKnownTarget: () => true,
        onAborted: () => {},
      },
    },
    fetch: () => new Response(),
    clientAddress: () => '',
    certificate: isSecure ? certificate : undefined,
    onError: () => {},
    limits: { tickMs: 10, bodyPace: { silence, grace: 0, window: silence, bytesPerSecond: 1000 } },
  });
  const to = { port: await front.listen(0, '127.0.0.1'), host: '127.0.0.1' };
  const opened: Socket = isSecure ? connectTls({ ...to, rejectUnauthorized: false }) : connectPlain(to);
  socket = opened;
  let received = '';
  opened
    .on('error', () => {})
    .on('data', chunk => {
      received += chunk.toString('latin1');
    });
  return { write: (text: string) => void opened.write(text), received: () => received };
}

const head = 'POST /in/t HTTP/1.1\r\nHost: x\r\n';
const pieces = 40;
const piece = 'x'.repeat(1000);

describe.each([
  ['plain', false],
  ['TLS', true],
])('%s', (_name, isSecure) => {
  test.each([
    ['of announced length', `${head}Content-Length: ${pieces * piece.length}\r\n\r\n`, piece, ''],
    ['in chunks', `${head}Transfer-Encoding: chunked\r\n\r\n`, `3e8\r\n${piece}\r\n`, '0\r\n\r\n'],
  ])('a body %s that takes long but keeps the pace is accepted', async (_name, before, part, after) => {
    const { write, received } = await open(isSecure);
    write(before);
    let sent = 0;
    const startedAt = performance.now();
    const drip = setInterval(() => {
      if (sent++ < pieces) write(part);
      if (sent === pieces) write(after);
    }, 30);
    await eventually(() => /got|408/.test(received())).finally(() => clearInterval(drip));
    expect(received()).toContain(`got ${pieces * piece.length}`);
    expect(performance.now() - startedAt).toBeGreaterThan(3 * silence);
  });

  test('a body that waits for its handler is not late', async () => {
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    const { write, received } = await open(isSecure, ready);
    write(`${head}Content-Length: 200000\r\n\r\n${'x'.repeat(200_000)}`);
    setTimeout(resolve, 3 * silence);
    await eventually(() => received() !== '');
    expect(received()).toContain('got 200000');
  });

  test.each([
    ['of announced length', `${head}Content-Length: 1000\r\n\r\nx`],
    ['in chunks', `${head}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`],
  ])('a body %s that stalls gets 408', async (_name, sent) => {
    const { write, received } = await open(isSecure);
    write(sent);
    await eventually(() => received() !== '');
    expect(received()).toStartWith('HTTP/1.1 408 ');
  });
});
