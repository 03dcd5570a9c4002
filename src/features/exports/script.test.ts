/* The shell script sends what was captured, byte for byte, in every shell of this machine, and executes nothing of it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RecordedRequest, recordRequests } from '../../testing/request-recorder.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { shellWord } from './shell-words.ts';

const shells = [['sh'], ['dash'], ['bash', '--posix'], ['busybox', 'sh'], ['zsh', '--emulate', 'sh'], ['ksh']].filter(
  ([name = '']) => Bun.which(name),
);

let server: TestServer;
let ada: TestAccount;
let directory: string;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await server.close();
});

type Given = { method?: string; path?: string; query?: string | null; rawHeaders?: [string, string][] } & {
  body?: string | Uint8Array;
};

/** An endpoint with these events, and its script. */
async function scriptOf(events: readonly Given[], name = 'inbox') {
  const endpoint = await ada.createEndpoint(name);
  const imported = events.map(({ method = 'POST', path = '', query = null, rawHeaders = [], body = '' }, i) => ({
    receivedAt: Date.now() - 1000 + i,
    ...{ method, path, query, rawHeaders },
    payloadRaw: Buffer.from(body as string).toString('base64'),
    payloadEncoding: 'base64',
  }));
  expect(await server.services.imports.add(endpoint.id, imported)).toMatchObject({ imported: events.length });
  const response = await ada.call('GET', `/api/endpoints/${endpoint.id}/export?format=curl`);
  return { endpoint, text: await response.text() };
}

type Run = { exitCode: number; stdout: string; stderr: string; left: string[] };

/** Runs the script in an empty directory. `left`: the files there afterwards. */
async function run(
  text: string | Uint8Array,
  args: string[],
  { shell = ['sh'], env = {} }: { shell?: string[]; env?: Record<string, string> } = {},
): Promise<Run> {
  const cwd = mkdtempSync(join(directory, 'run-'));
  const file = join(directory, 'script.sh');
  writeFileSync(file, text);
  const child = Bun.spawn([...shell, file, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr, left: readdirSync(cwd) };
}

const every = Uint8Array.from({ length: 256 }, (_, i) => i);
const noise = (bytes: number): Uint8Array => {
  const all = new Uint8Array(bytes);
  for (let i = 0; i < bytes; i += 65_536) crypto.getRandomValues(all.subarray(i, i + 65_536));
  return all;
};
const allPrintable = String.fromCharCode(...every.subarray(0x21, 0x7f));
const allHigh = Buffer.from(every.subarray(0x80)).toString('latin1');

const commands = [
  '$(touch pwned)',
  '`touch pwned`',
  "'; touch pwned; '",
  '"; touch pwned; "',
  '&& touch pwned',
  '| touch pwned',
];

const hostile: Given[] = [
  {},
  { method: 'GET' },
  { method: 'GET', path: '/', query: '' },
  { method: 'GET', query: 'a=1&a=2' },
  { method: 'GET', body: 'a body of a GET' },
  { method: 'HEAD' },
  { method: 'HEAD', body: 'x' },
  { method: 'DELETE', path: '/a' },
  { method: 'OPTIONS' },
  { method: 'PURGE', path: '/x' },
  { method: 'M-SEARCH', body: 'q' },
  { method: "!#$%&'*+.^_`|~-", path: '/method' },
  { path: `/${allPrintable.replace('?', '')}`, query: allPrintable },
  { path: `/${allHigh}`, query: `x=${allHigh}` },
  { path: '/a/./b/../c/%2e%2e/%2E/{1,2}/[1-3]/#frag//', query: '{a,b}[1-2]#x?y' },
  { path: '//evil.example/x', query: '?' },
  { path: '/@file', query: '@file', body: '@/etc/passwd' },
  { body: every },
  { body: noise(3_000_001) },
  { body: noise(57) },
  { body: noise(58) },
  { body: noise(57 * 512 + 1) },
  { body: '_\n_\n}\nexit 0\n' },
  {
    rawHeaders: [
      ['Content-Type', 'application/json'],
      ['content-type', 'text/plain'],
    ],
    body: '{}',
  },
  {
    rawHeaders: [
      ['User-Agent', 'a'],
      ['Accept', 'b'],
      ['X-B', '1'],
      ['x-a', '2'],
      ['X-b', '3'],
    ],
  },
  {
    rawHeaders: [
      ['X-Empty', ''],
      ['Content-Type', ''],
      ['User-Agent', ''],
      ['Accept', ''],
    ],
    body: 'x',
  },
  {
    rawHeaders: [
      ['X-At', '@/etc/passwd'],
      ['@'.replace('@', '-K'), 'x'],
      ['-H', '@x'],
      ['X-Semi', 'a;'],
      ['X-Colon', ':b'],
    ],
  },
  {
    rawHeaders: [
      ['X-High', allHigh],
      ['X-Print', ` ${allPrintable}`.trim()],
      ['X-Tab', 'a\tb'],
      ['X-Quote', `'"\\'"`],
    ],
  },
  {
    rawHeaders: [
      ['X-Control', 'a\u0001\u001b[2Jb\u007f'],
      ['X-Percent', '%s%n%%\\045\\c\\0'],
    ],
  },
  { rawHeaders: [["!#$%&'*+.^_`|~-9aZ", 'every character of a token']] },
  {
    rawHeaders: [
      ['Accept-Encoding', 'gzip, br'],
      ['Content-Encoding', 'gzip'],
      ['Forwarded', 'for=1'],
      ['Date', 'x'],
    ],
    body: Bun.gzipSync('{}'),
  },
  { rawHeaders: [['X-Long', 'x'.repeat(60_000)]] },
  { rawHeaders: Array.from({ length: 900 }, (_, i) => [`X-${i}`, `'${i}"`] as [string, string]) },
  ...commands.flatMap((command): Given[] => [
    { path: `/${command.replaceAll(' ', '%20')}`, query: command.replaceAll(' ', '\x80'), body: command },
    {
      rawHeaders: [
        ['X-Command', command],
        [command.replace(/[^!#$%&'*+.^_`|~0-9A-Za-z-]/g, ''), command],
      ],
    },
  ]),
];

const notSent = 'host content-length connection keep-alive transfer-encoding te trailer upgrade expect'.split(' ');
const isSent = ([name]: readonly [string, string]): boolean => !notSent.includes(name.toLowerCase());
/** A script drops the space around values like every receiver. */
const shown = ({ method, target, headers, body }: RecordedRequest) => ({
  method,
  target,
  headers: headers.filter(isSent),
  body: Buffer.from(body).toString('base64'),
});
const expected = (event: Given, base = '') => ({
  method: event.method ?? 'POST',
  target: `${base}${event.path ?? ''}${typeof event.query === 'string' ? `?${event.query}` : ''}`,
  headers: (event.rawHeaders ?? []).filter(isSent),
  body: Buffer.from((event.body ?? '') as string).toString('base64'),
});

describe('the script', () => {
  test.each(shells)('sends what was captured, and executes nothing of it: %s', async (...shell) => {
    const { text } = await scriptOf(hostile, "x'; touch pwned; '$(touch pwned)");
    expect(text).toMatch(/^[\n\x20-\x7e]*$/);
    const to = await recordRequests();
    const { exitCode, stdout, stderr, left } = await run(text, [`${to.origin}/base/`], { shell });
    to.close();
    expect([exitCode, stderr, left]).toEqual([0, '', []]);
    expect(stdout.split('\n')).toHaveLength(hostile.length + 1);
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^evt_\w+ \S+ [\x21-\x7e]*(?: | )?200$/);
    expect(to.requests).toHaveLength(hostile.length);
    for (const [i, event] of hostile.entries()) {
      const request = to.requests[i];
      const base = event.path ? '/base' : '/base/';
      expect([i, request && shown(request)]).toEqual([i, expected(event, base)]);
    }
  });
});

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
    const { text } = await scriptOf([{ path: '/p', query: 'q=1' }, { query: 'q=1' }, { path: '/p' }, {}]);
    const to = await recordRequests();
    expect((await run(text, [`${to.origin}${suffix}`])).exitCode).toBe(0);
    // Without a scheme it is http.
    expect((await run(text, [`${to.origin.slice('http://'.length)}${suffix}`])).exitCode).toBe(0);
    to.close();
    expect(to.requests.map(({ target }) => target).join(' ')).toBe(`${targets} ${targets}`);
  });

  test('without a URL it is the endpoint', async () => {
    const { endpoint, text } = await scriptOf([{ path: '/a%20b', query: 'x=1', body: every }]);
    const local = text.replace(/^endpoint='https?:\/\/[^/]+/m, `endpoint='${await server.listen()}`);
    expect(local).not.toBe(text);
    const { exitCode, stdout } = await run(local, []);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^evt_\w+ POST \/a%20b\?x=1 200\n$/)]);
    const { events } = await ada.json<{ events: Record<string, unknown>[] }>(
      200,
      'GET',
      `/api/endpoints/${endpoint.id}/export`,
    );
    const [sent, received] = events.map(event => ({ ...event, id: '', receivedAt: 0, headers: {}, rawHeaders: [] }));
    expect<unknown>(received).toEqual(sent);
  });

  test.each([[['--help']], [['']]])('%j is refused with 2 and the usage', async args => {
    const { text } = await scriptOf([{}]);
    expect(await run(text, args)).toMatchObject({ exitCode: 2, stdout: '', stderr: 'usage: sh script.sh [URL]\n' });
  });
});

describe('headers', () => {
  test('of the connection and credentials are not sent, and a curl config file may add some', async () => {
    const { text } = await scriptOf([
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
    await run(text, [to.origin]);
    const config = join(directory, 'more options');
    writeFileSync(config, 'header = "Authorization: Bearer mine"\n');
    await run(text, [to.origin], { env: { CURL_CONFIG: config } });
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
    const { text } = await scriptOf(heads.map((_, n) => ({ path: `/${n}` })));
    const { exitCode, stdout, stderr } = await run(text, [to.origin]);
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
    const { text } = await scriptOf([{ body: noise(300_000) }, {}]);
    const { exitCode, stdout, stderr } = await run(text, [to.origin]);
    expect([exitCode, stdout.match(/000 \(curl: error 7\)$/gm)?.length]).toEqual([1, 2]);
    expect(stderr).toContain('2 of 2 requests failed');
  });

  test('is 0 without events', async () => {
    const { text } = await scriptOf([]);
    expect(await run(text, ['localhost:9'])).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  test('is 2 without curl or a decoder, and nothing is sent', async () => {
    const { text } = await scriptOf([{}]);
    const shell = [Bun.which('sh') ?? 'sh'];
    expect(await run(text, ['localhost:9'], { shell, env: { PATH: directory } })).toMatchObject({
      exitCode: 2,
      stderr: 'script.sh: curl 7.55 or newer is needed\n',
    });
    const bin = mkdtempSync(join(directory, 'bin-'));
    symlinkSync(Bun.which('curl') ?? '', join(bin, 'curl'));
    expect(await run(text, ['localhost:9'], { shell, env: { PATH: bin } })).toMatchObject({
      exitCode: 2,
      stderr: 'script.sh: base64 or openssl is needed\n',
    });
  });

  test('bodies are decoded with openssl where base64 is missing', async () => {
    const bin = mkdtempSync(join(directory, 'bin-'));
    for (const program of ['curl', 'openssl']) symlinkSync(Bun.which(program) ?? '', join(bin, program));
    const body = noise(200_003);
    const { text } = await scriptOf([{ body }]);
    const to = await recordRequests();
    const { exitCode } = await run(text, [to.origin], { shell: [Bun.which('sh') ?? 'sh'], env: { PATH: bin } });
    to.close();
    expect([exitCode, to.requests[0]?.body.equals(body)]).toEqual([0, true]);
  });
});

describe('a script that was cut off', () => {
  test.each(shells)('sends no incomplete event, and does not exit with 0: %s', async (...shell) => {
    const events = [
      { path: '/1', rawHeaders: [['A', 'b'] as [string, string]] },
      { path: '/2', body: noise(300) },
    ];
    const { text } = await scriptOf(events);
    const start = text.indexOf('{ send');
    const to = await recordRequests();
    const ends = Array.from({ length: text.length - start }, (_, i) => start + i);
    const lineEnds = ends.filter(end => text[end] === '\n' || text[end - 1] === '\n');
    for (const end of [...lineEnds.slice(0, -1), ...ends.filter((_, i) => i % 23 === 0)]) {
      to.requests.length = 0;
      const { exitCode } = await run(text.slice(0, end), [to.origin], { shell });
      if (end < text.length - 'finish\n'.length + 6) expect([end, exitCode]).not.toEqual([end, 0]);
      expect(to.requests.map(shown)).toEqual(events.slice(0, to.requests.length).map(event => expected(event)));
    }
    to.close();
  });
});

describe('a word', () => {
  test.each(shells)('is its bytes in %s', async (...shell) => {
    const words = Array.from({ length: 400 }, (_, i) => {
      const bytes = noise(i % 40).map(byte => (i % 2 === 0 ? byte : byte & 0x7f));
      return Buffer.from(bytes.filter(byte => byte !== 0 && byte !== 0x0a)).toString('latin1');
    });
    words.push(...commands, allPrintable, allHigh, '-n', '-e', '--', '\\c', '~', '*');
    const { stdout } = await run(`printf '%s\\n' ${words.map(shellWord).join(' ')} | base64\n`, [], { shell });
    expect(Buffer.from(stdout, 'base64').toString('latin1')).toBe(`${words.join('\n')}\n`);
  });
});
