/* Details and bodies of events that are too large to be made in one piece. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { type HeldClock, holdClock } from '../../testing/clock.ts';
import { callTool } from '../../testing/mcp.ts';
import { eventually } from '../../testing/poll.ts';
import { exchange } from '../../testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { bodyChunks, type DetailFields, detailChunks } from './detail-stream.ts';
import { excerptOf } from './excerpt.ts';

const mebibyte = 1 << 20;
let server: TestServer;
let clock: HeldClock;
let ada: TestAccount;
let endpoint: { id: string; url: string };

beforeAll(async () => {
  clock = holdClock();
  server = await openTestServer({ clock });
  ada = await server.createAccount('ada@example.com');
  endpoint = await ada.createEndpoint();
});
afterAll(() => server.close());

const headersOf = ({ key }: TestAccount) => ({ authorization: `Bearer ${key}` });
const get = async (id: string, who = ada): Promise<Response> =>
  fetch(`${await server.listen()}/api/events/${id}`, { headers: headersOf(who) });
const controls = (bytes: number): Uint8Array => new Uint8Array(bytes).map((_, i) => i & 0x1f);
const heldBytes = (): number => server.services.contentReads.heldBytes();

describe('the detail of a large event', () => {
  test('of control characters is the JSON that JSON.stringify makes', async () => {
    const small = await (await get(await server.deliver(endpoint, controls(1000)))).text();
    const body = controls(31 * mebibyte);
    const response = await get(await server.deliver(endpoint, body));
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json;charset=utf-8']);
    const detail = JSON.parse(text) as Record<string, unknown>;
    expect(JSON.stringify(detail) === text).toBe(true);
    expect(Object.keys(detail)).toEqual(Object.keys(JSON.parse(small)));
    expect(detail['payloadRaw'] === new TextDecoder().decode(body)).toBe(true);
    expect(detail).toMatchObject({
      payload: null,
      payloadEncoding: 'utf8',
      size: body.length,
      sha256: createHash('sha256').update(body).digest('hex'),
      replays: [],
      forwards: [],
    });
    await eventually(() => heldBytes() === 0);
  }, 120_000);

  test.each([
    ['JSON', JSON.stringify({ text: 'é😀"\\\n'.repeat(100_000), list: Array.from({ length: 9 }, (_, i) => i / 7) })],
    ['JSON with what parsers disagree on', `{"pad":"${'x'.repeat(300_000)}","a":1e400,"b":-0,"__proto__":{"a":1}}`],
    ['JSON with a key twice and incomplete character', `{"a":"${'x'.repeat(300_000)}","a":"\\ud800"}`],
    ['no JSON', `{"a":"${'x'.repeat(300_000)}"`],
    ['JSON that is too deep', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['JSON that is too large to be parsed', `"${'x'.repeat(8 * mebibyte)}"`],
  ])('has the payload that a small event would have: %s', async (_, body) => {
    const depth = /^\[+/.exec(body)?.[0].length ?? 0;
    const parsed = (): unknown => {
      try {
        return depth > 9999 || body.length > 8 * mebibyte ? null : JSON.parse(body);
      } catch {
        return null;
      }
    };
    const text = await (await get(await server.deliver(endpoint, body))).text();
    const detail = JSON.parse(text) as { payload: unknown; payloadRaw: string };
    expect(JSON.stringify(detail.payload) === JSON.stringify(parsed())).toBe(true);
    expect(detail.payloadRaw === body).toBe(true);
  });

  test('has a body that is not UTF-8 in base64', async () => {
    const body = crypto.getRandomValues(new Uint8Array(64 << 10));
    const large = new Uint8Array(mebibyte + 1).map((_, i) => body[i % body.length] ?? 0);
    const detail = (await (await get(await server.deliver(endpoint, large))).json()) as Record<string, unknown>;
    expect(detail).toMatchObject({ payload: null, payloadEncoding: 'base64' });
    expect(detail['payloadRaw'] === Buffer.from(large).toString('base64')).toBe(true);
  });

  test('is made in small pieces, with a pause between them', async () => {
    const fields = { before: { id: 'evt_1' }, after: { replays: [] } } as unknown as DetailFields;
    for (const body of [controls(8 * mebibyte), Buffer.from(JSON.stringify({ a: 'x'.repeat(7 * mebibyte) }))]) {
      let yields = 0;
      let bytes = 0;
      for await (const chunk of detailChunks(fields, body, () => void yields++)) {
        expect(chunk.length).toBeLessThan(400 << 10);
        bytes += chunk.length;
      }
      expect(bytes).toBeGreaterThan(2 * (body.length - 100));
      expect(yields).toBeGreaterThan(bytes / (400 << 10));
    }
    for await (const chunk of bodyChunks(controls(mebibyte))) expect(chunk.length).toBeLessThan(400 << 10);
  });

  test('is not read for HEAD, which is answered with the same headers', async () => {
    const id = await server.deliver(endpoint, controls(mebibyte));
    const ask = async (path: string) =>
      exchange(
        await server.listen(),
        `HEAD /api/events/${id}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${ada.key}\r\n\r\n`,
      );
    expect(await ask('')).toMatch(/^HTTP\/1\.1 200 .*content-type: application\/json;charset=utf-8\r\n.*\r\n\r\n$/s);
    expect(await ask('/raw')).toMatch(/^HTTP\/1\.1 200 .*content-length: 1048576\r\n.*\r\n\r\n$/s);
    await eventually(() => heldBytes() === 0);
  });

  test('is refused without a byte of it when it is damaged on disk, and its reservation is released', async () => {
    const id = await server.deliver(endpoint, controls(mebibyte));
    const { client } = server.services.database;
    await client.execute(
      'UPDATE blocks SET (content, bytes) = (SELECT content, bytes FROM blocks ORDER BY seq LIMIT 1) WHERE seq = (SELECT max(seq) FROM blocks)',
    );
    for (const path of ['', '/raw']) {
      const response = await get(`${id}${path}`);
      expect([response.status, await response.json()]).toEqual([
        500,
        { error: `event ${id} is damaged on disk: the stored block does not match its checksum` },
      ]);
    }
    await client.execute("UPDATE blocks SET content = x'28b52ffd00' WHERE seq = (SELECT max(seq) FROM blocks)");
    expect(((await (await get(id)).json()) as { error: string }).error).toContain('cannot be read');
    expect(heldBytes()).toBe(0);
  });
});

test('the raw body of a large event is sent completely', async () => {
  const body = controls(5 * mebibyte + 1);
  const id = await server.deliver(endpoint, body);
  const response = await get(`${id}/raw`);
  expect(response.headers.get('content-length')).toBe(String(body.length));
  expect(Buffer.compare(await response.bytes(), body)).toBe(0);
  await eventually(() => heldBytes() === 0);
});

describe('clients that do not read a large event', () => {
  /** Asks, and takes nothing of the answer. */
  const askAndWait = async (path: string): Promise<Socket> => {
    const socket = connect(Number(new URL(await server.listen()).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write(`GET /api/events/${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ada.key}\r\n\r\n`);
    return socket;
  };

  test('hold limited memory, do not keep others out, lose it to others, and free them by disconnecting', async () => {
    const body = controls(30 * mebibyte);
    const id = await server.deliver(endpoint, body);
    const smallId = await server.deliver(endpoint, 'small');
    const bob = await server.createAccount('bob@example.com', { teamOf: 'ada@example.com' });
    const sockets = await Promise.all(Array.from({ length: 12 }, (_, i) => askAndWait(i % 2 ? id : `${id}/raw`)));
    try {
      await eventually(() => heldBytes() >= 4 * body.length, 10_000);
      for (let i = 0; i < 20; i++) {
        expect((await get(smallId)).status).toBe(200);
        expect(heldBytes()).toBeLessThan(4.1 * body.length);
      }
      const answered = await get(`${id}/raw`, bob);
      expect((await answered.bytes()).length).toBe(body.length);

      // They have not read for long: the next request of the same account, whose client reads, does not wait for them.
      const own = get(`${id}/raw`);
      const passing = setInterval(() => clock.advance(5000), 50);
      expect((await (await own).bytes()).length).toBe(body.length);
      clearInterval(passing);
      expect(heldBytes()).toBeLessThan(4.1 * body.length);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    await eventually(() => heldBytes() === 0, 10_000);
  }, 120_000);
});

describe('an agent', () => {
  test('gets a part of a large event', async () => {
    const body = `${'é😀'.repeat(400_000)}end`;
    const id = await server.deliver(endpoint, body);
    const result = await callTool(server.fetch, ada.key, 'get_event', { eventId: id, bodyOffset: 1_199_990 });
    expect(result).toMatchObject({
      structuredContent: { body: body.slice(1_199_990), bodyTotal: body.length, bodyEncoding: 'utf8', truncated: true },
    });
    expect(heldBytes()).toBe(0);
  });

  test.each([0, 1, 5, 1000, 699_050, 10_000_000])('gets the characters from %d on', async offset => {
    const text = Buffer.from('aé😀\u0000'.repeat(200_000));
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    const binary = Buffer.concat([Buffer.from([0xff]), ...Array.from({ length: 9 }, () => bytes)]);
    for (const [body, encoding] of [
      [text, 'utf8'],
      [binary, 'base64'],
    ] as const)
      for (const characters of [0, 1, 7, 8192]) {
        const whole = body.toString(encoding);
        expect(await excerptOf(body, { offset, characters }, () => undefined)).toEqual({
          text: whole.slice(offset).slice(0, characters),
          encoding,
          totalCharacters: whole.length,
        });
      }
  });
});
