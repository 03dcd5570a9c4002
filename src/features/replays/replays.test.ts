import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { eventually } from '../../testing/poll.ts';
import { closePeers, ok, peer, reply } from '../../testing/raw-destination.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };

beforeAll(async () => {
  server = await openTestServer({});
  ada = await server.createAccount('ada@example.com');
  endpoint = await ada.createEndpoint();
});
afterEach(closePeers);
afterAll(() => server.close());

type Result = { ok: boolean; status: number; durationMs: number; responsePreview: string };
type Attempt = {
  id: string;
  destination: string;
  status: number | null;
  ok: boolean;
  durationMs: number;
  createdAt: number;
} & {
  replayedBy: string | null;
  formerMember: boolean;
  via: string;
  signed: boolean;
  edited: boolean;
  response: unknown;
  request: unknown;
  note: string | null;
};
const attemptsOf = async (caller: TestAccount, id: string) =>
  (await caller.json<{ replays: Attempt[] }>(200, 'GET', `/api/events/${id}`)).replays;
const replay = (id: string, port: number, path = '/') =>
  ada.json<Result>(200, 'POST', `/api/events/${id}/replay`, { url: `http://127.0.0.1:${port}${path}` });
const refusal = (status: number, id: string, url: unknown) =>
  ada.json<{ error: string }>(status, 'POST', `/api/events/${id}/replay`, { url });

/** Sends these bytes to the endpoint's address as they are. */
async function deliverRaw(head: string, body: Uint8Array = new Uint8Array()): Promise<string> {
  const { port } = new URL(await server.listen());
  const socket = connect(Number(port), '127.0.0.1');
  let answer = '';
  socket.on('data', data => {
    answer += data.toString('latin1');
  });
  socket.write(Buffer.from(head.replace('PATH', new URL(endpoint.url).pathname), 'latin1'));
  socket.write(body);
  const [, id] = await eventually(() => /"id":"(evt_\w+)"/.exec(answer));
  socket.destroy();
  return id ?? '';
}

describe('the replayed request', () => {
  test('has method, body and headers as captured, in order, case and repeats, and x-service-replay last', async () => {
    const body = Uint8Array.from({ length: 512 }, (_, i) => i);
    const id = await deliverRaw(
      [
        'PATCH PATH/deep?x=1 HTTP/1.1',
        'Host: hooks.example.com',
        'X-Zeta: 1',
        'x-alpha: caf\xe9',
        'X-ALPHA: 2',
        'Authorization: Bearer secret',
        'Cookie: a=b',
        'CF-Ray: 1',
        'X-Forwarded-For: 8.8.8.8',
        'X-Service-Replay: evt_forged',
        'Connection: keep-alive, X-Hop',
        'X-Hop: 1',
        'X-Hub-Signature-256: sha256=ab',
        '__proto__: x',
        'Content-Type: application/octet-stream',
        'Content-Length: 512',
        '\r\n',
      ].join('\r\n'),
      body,
    );
    const to = await peer(ok);
    expect(await replay(id, to.port, '/hook?y=2')).toMatchObject({ ok: true, status: 200, responsePreview: 'hi' });
    const received = await eventually(() => (to.received().length > 512 ? to.received() : undefined));
    const [head = '', ...rest] = received.split('\r\n\r\n');
    expect(head.split('\r\n')).toEqual([
      'PATCH /hook?y=2 HTTP/1.1',
      `Host: 127.0.0.1:${to.port}`,
      'Accept-Encoding: identity',
      'Content-Length: 512',
      'X-Zeta: 1',
      'x-alpha: caf\xe9',
      'X-ALPHA: 2',
      'X-Hub-Signature-256: sha256=ab',
      '__proto__: x',
      'Content-Type: application/octet-stream',
      `x-service-replay: ${id}`,
      'Connection: close',
    ]);
    expect(Buffer.from(rest.join('\r\n\r\n'), 'latin1').equals(Buffer.from(body))).toBe(true);
  });

  test('a GET with a body keeps its body, and an empty POST has Content-Length: 0', async () => {
    const to = await peer(ok);
    await replay(
      await deliverRaw('GET PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n', Buffer.from('body')),
      to.port,
    );
    expect(await eventually(() => to.received().endsWith('body') && to.received())).toStartWith('GET / HTTP/1.1');
    const empty = await peer(ok);
    await replay(await deliverRaw('POST PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'), empty.port);
    expect(empty.received()).toContain('Content-Length: 0\r\n');
  });
});

describe('POST /api/events/{id}/replay', () => {
  test.each([301, 404, 500])('a %d from the destination is 200 with ok false', async status => {
    const id = await server.deliver(endpoint);
    const inner = await peer(ok);
    const to = await peer(
      reply(`HTTP/1.1 ${status} Whatever\r\nLocation: http://127.0.0.1:${inner.port}/\r\nContent-Length: 3`, 'why'),
    );
    expect(await replay(id, to.port)).toMatchObject({ ok: false, status, responsePreview: 'why' });
    expect(inner.connects()).toBe(0);
    expect(await attemptsOf(ada, id)).toMatchObject([{ status, ok: false }]);
  });

  test('attempts are listed with the account, newest first, at most 20', async () => {
    const id = await server.deliver(endpoint);
    const to = await peer(ok);
    await replay(id, to.port, '/first');
    for (let i = 0; i < 20; i++) await replay(id, to.port, `/${i}`);
    const attempts = await attemptsOf(ada, id);
    expect(attempts).toHaveLength(20);
    expect(attempts[0]).toEqual({
      id: expect.stringMatching(/^rpl_/),
      destination: `http://127.0.0.1:${to.port}/19`,
      status: 200,
      ok: true,
      durationMs: expect.any(Number),
      createdAt: expect.any(Number),
      replayedBy: 'ada@example.com',
      formerMember: false,
      via: 'api',
      signed: false,
      edited: false,
      response: { headers: [['Content-Length', '2']], body: 'hi', bodyEncoding: 'utf8', truncated: false },
      request: expect.objectContaining({ method: 'POST', edit: null }),
      note: null,
    });
    expect(attempts.at(-1)?.destination).toEndWith('/0');
  });

  test('only the last 100 attempts of an event are kept', async () => {
    const id = await server.deliver(endpoint);
    const to = await peer(ok);
    for (let i = 0; i < 103; i++) await replay(id, to.port);
    const { rows } = await server.services.database.client.execute(
      'SELECT count(*) AS n FROM replays GROUP BY event ORDER BY n DESC',
    );
    expect(rows[0]?.['n']).toBe(100);
  });

  test('an attempt of a deleted account is kept, marked and without a name', async () => {
    const mate = await server.createAccount('mate@example.com', { teamOf: 'ada@example.com' });
    const id = await server.deliver(endpoint);
    const to = await peer(ok);
    const url = `http://127.0.0.1:${to.port}/`;
    await mate.json(200, 'POST', `/api/events/${id}/replay`, { url });
    expect(await attemptsOf(ada, id)).toMatchObject([{ replayedBy: 'mate@example.com', formerMember: false }]);
    await server.services.account.remove('mate@example.com');
    expect(await attemptsOf(ada, id)).toMatchObject([{ replayedBy: null, formerMember: true }]);
  });

  test.each([
    undefined,
    null,
    5,
    '',
    'example.com',
    '/relative',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http:example.com',
    'http:///example.com',
    'http:\\\\example.com',
    'http://exa mple.com/',
    ' http://example.com/',
    'http://example.com/\u0000',
    'http://example.com/\ud800',
    'http://user:pw@example.com/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://0.0.0.0/',
    'http://127.0.0.1:25/',
  ])('400 for the destination %j, and nothing is recorded', async url => {
    const id = await server.deliver(endpoint);
    expect((await refusal(400, id, url)).error).not.toBe('');
    expect(await attemptsOf(ada, id)).toEqual([]);
  });

  test('400 for a destination that is too long', async () => {
    const id = await server.deliver(endpoint);
    const { error } = await refusal(400, id, `http://example.com/${'a'.repeat(9000)}`);
    expect(error).toBe('url must be at most 8192 characters');
  });

  test('400 comes before 404, and an event of another team is 404', async () => {
    const id = await server.deliver(endpoint);
    const to = await peer(ok);
    await refusal(400, 'evt_unknown', 'nonsense');
    const missing = await refusal(404, 'evt_unknown', `http://127.0.0.1:${to.port}/`);
    const bob = await server.createAccount('bob@example.com');
    const foreign = await bob.json(404, 'POST', `/api/events/${id}/replay`, { url: `http://127.0.0.1:${to.port}/` });
    expect<unknown>(foreign).toEqual(missing);
    expect(to.connects()).toBe(0);
  });

  test('loopback is refused when the dashboard is not on loopback', async () => {
    const remote = await openTestServer({ env: { HOOKTAPE_BASE_URL: 'https://hooks.example.com' } });
    try {
      const eve = await remote.createAccount();
      const id = await remote.deliver(await eve.createEndpoint());
      const to = await peer(ok);
      await eve.json(400, 'POST', `/api/events/${id}/replay`, { url: `http://127.0.0.1:${to.port}/` });
      expect(to.connects()).toBe(0);
    } finally {
      await remote.close();
    }
  });
});

describe('the answer’s first 500 characters', () => {
  const previewOf = async (body: string | Uint8Array): Promise<string> => {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const to = await peer(reply(`HTTP/1.1 200 OK\r\nContent-Length: ${length}`, body));
    return (await replay(await server.deliver(endpoint), to.port)).responsePreview;
  };

  test('are whole characters', async () => {
    expect(await previewOf('😀'.repeat(600))).toBe('😀'.repeat(500));
    expect(await previewOf('é'.repeat(500))).toBe('é'.repeat(500));
  });

  test('show bytes that are not UTF-8 as replacement characters', async () => {
    expect(await previewOf(Uint8Array.of(0x61, 0xff, 0x00, 0x62))).toBe('a\ufffd\u0000b');
  });

  test('are not decompressed', async () => {
    const bomb = Bun.gzipSync(new Uint8Array(1 << 20));
    const to = await peer(
      reply(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}`, new Uint8Array(bomb)),
    );
    const { responsePreview } = await replay(await server.deliver(endpoint), to.port);
    expect(responsePreview.length).toBeLessThanOrEqual(500);
    expect(responsePreview).toStartWith('\u001f\ufffd');
  });
});
