/* Where the shell script sends to, which headers it leaves out, and how it exits. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordRequests } from '../../testing/request-recorder.ts';
import { openScriptRuns, type ScriptRuns } from '../../testing/script-runs.ts';

setDefaultTimeout(120_000);

let runs: ScriptRuns;
beforeAll(async () => {
  runs = await openScriptRuns();
});
afterAll(() => runs.close());

describe('where it sends to', () => {
  const base: [what: string, suffix: string, target: string][] = [
    ['an origin', '', '/p?q=1 /?q=1 /p /'],
    ['a slash', '/', '/p?q=1 /?q=1 /p /'],
    ['a path', '/a/b', '/a/b/p?q=1 /a/b?q=1 /a/b/p /a/b'],
    ['a path with a slash', '/a/b/', '/a/b/p?q=1 /a/b/?q=1 /a/b/p /a/b/'],
    ['a query, which goes first', '/a?k=*', '/a/p?k=*&q=1 /a?k=*&q=1 /a/p?k=* /a?k=*'],
    ['a query without a path, and a fragment', '?k=1#f', '/p?k=1&q=1 /?k=1&q=1 /p?k=1 /?k=1'],
  ];
  test.each(base)('%s is kept, and path and query are appended', async (_, suffix, targets) => {
    const { text } = await runs.scriptOf([{ path: '/p', query: 'q=1' }, { query: 'q=1' }, { path: '/p' }, {}]);
    const to = await recordRequests();
    expect((await runs.run(text, [`${to.origin}${suffix}`])).exitCode).toBe(0);
    // Without a scheme it is http.
    expect((await runs.run(text, [`${to.origin.slice('http://'.length)}${suffix}`])).exitCode).toBe(0);
    to.close();
    expect(to.requests.map(({ target }) => target).join(' ')).toBe(`${targets} ${targets}`);
  });

  test('without a URL it is the endpoint', async () => {
    const { endpoint, text } = await runs.scriptOf([
      { path: '/a%20b', query: 'x=1', body: Uint8Array.from({ length: 256 }, (_, i) => i) },
    ]);
    const local = text.replace(/^endpoint='https?:\/\/[^/]+/m, `endpoint='${await runs.server.listen()}`);
    expect(local).not.toBe(text);
    const { exitCode, stdout } = await runs.run(local, []);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^evt_\w+ POST \/a%20b\?x=1 200\n$/)]);
    const { events } = await runs.account.json<{ events: Record<string, unknown>[] }>(
      200,
      'GET',
      `/api/endpoints/${endpoint.id}/export`,
    );
    const [sent, received] = events.map(event => ({ ...event, id: '', receivedAt: 0, headers: {}, rawHeaders: [] }));
    expect<unknown>(received).toEqual(sent);
  });

  test.each([[['--help']], [['']]])('%j is refused with 2 and the usage', async args => {
    const { text } = await runs.scriptOf([{}]);
    expect(await runs.run(text, args)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: 'usage: sh script.sh [URL]\n',
    });
  });
});

describe('headers', () => {
  test('of the connection and credentials are not sent, and a curl config file may add some', async () => {
    const { text } = await runs.scriptOf([
      {
        rawHeaders: [
          ...['Host', 'Content-Length', 'Connection', 'Keep-Alive', 'TE', 'Expect'].map((name): [string, string] => [
            name,
            '1',
          ]),
          ...['Authorization', 'Cookie', 'proxy-authorization'].map((name): [string, string] => [name, 'secret']),
          ['connection', 'close, X-Hop'],
          ['x-hop', '1'],
          ['X-End', '2'],
        ],
      },
    ]);
    const to = await recordRequests();
    await runs.run(text, [to.origin]);
    const config = join(runs.directory, 'more options');
    writeFileSync(config, 'header = "Authorization: Bearer mine"\n');
    await runs.run(text, [to.origin], { env: { CURL_CONFIG: config } });
    to.close();
    const own = [['Host', to.origin.slice('http://'.length)]];
    const [plain, configured] = to.requests.map(({ headers }) => headers);
    expect<unknown>(plain).toEqual([...own, ['X-End', '2'], ['Content-Length', '0']]);
    expect<unknown>(configured).toEqual([
      ...own,
      ['Authorization', 'Bearer mine'],
      ['X-End', '2'],
      ['Content-Length', '0'],
    ]);
  });
});

const respond = (head: string) => `HTTP/1.1 ${head}\r\nConnection: close\r\n\r\n`;

describe('the exit status', () => {
  test('is 1 when an answer is not 2xx or missing, after all others were sent', async () => {
    const heads = [
      '200 OK\r\nContent-Length: 0',
      '500 Oops',
      '302 Found\r\nLocation: /else',
      '404 No',
      undefined,
      '204 None',
    ];
    const to = await recordRequests((_, n) => heads[n] && respond(heads[n]));
    const { text } = await runs.scriptOf(heads.map((_, n) => ({ path: `/${n}` })));
    const { exitCode, stdout, stderr } = await runs.run(text, [to.origin]);
    to.close();
    expect(exitCode).toBe(1);
    expect(stdout.replace(/evt_\w+/g, 'evt').split('\n')).toEqual([
      'evt POST /0 200',
      'evt POST /1 500',
      'evt POST /2 302',
      'evt POST /3 404',
      'evt POST /4 000 (curl: error 52)',
      'evt POST /5 204',
      '',
    ]);
    expect(stderr).toEndWith('script.sh: 4 of 6 requests failed\n');
  });

  test('is 1 when nothing listens', async () => {
    const to = await recordRequests();
    to.close();
    const { text } = await runs.scriptOf([{ body: Buffer.alloc(300_000) }, {}]);
    const { exitCode, stdout, stderr } = await runs.run(text, [to.origin]);
    expect([exitCode, stdout.match(/000 \(curl: error 7\)$/gm)?.length]).toEqual([1, 2]);
    expect(stderr).toContain('2 of 2 requests failed');
  });

  test('is 0 without events', async () => {
    const { text } = await runs.scriptOf([]);
    expect(await runs.run(text, ['localhost:9'])).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  test('is 2 without curl or a decoder, and nothing is sent', async () => {
    const { text } = await runs.scriptOf([{}]);
    const shell = [Bun.which('sh') ?? 'sh'];
    expect(await runs.run(text, ['localhost:9'], { shell, env: { PATH: runs.directory } })).toMatchObject({
      exitCode: 2,
      stderr: 'script.sh: curl 7.55 or newer is needed\n',
    });
    const bin = mkdtempSync(join(runs.directory, 'bin-'));
    symlinkSync(Bun.which('curl') ?? '', join(bin, 'curl'));
    expect(await runs.run(text, ['localhost:9'], { shell, env: { PATH: bin } })).toMatchObject({
      exitCode: 2,
      stderr: 'script.sh: base64 or openssl is needed\n',
    });
  });

  test('bodies are decoded with openssl where base64 is missing', async () => {
    const bin = mkdtempSync(join(runs.directory, 'bin-'));
    for (const program of ['curl', 'openssl']) symlinkSync(Bun.which(program) ?? '', join(bin, program));
    const body = crypto.getRandomValues(new Uint8Array(60_003));
    const { text } = await runs.scriptOf([{ body }]);
    const to = await recordRequests();
    const { exitCode } = await runs.run(text, [to.origin], { shell: [Bun.which('sh') ?? 'sh'], env: { PATH: bin } });
    to.close();
    expect([exitCode, to.requests[0]?.body.equals(body)]).toEqual([0, true]);
  });
});
