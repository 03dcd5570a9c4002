import { describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { curlCommand } from './curl.ts';
import { fetchCode } from './fetch.ts';
import { httpieCommand } from './httpie.ts';
import { type CopyRequest, sendableHeaders, withTarget } from './request.ts';
import { powershellWord, samplesFor } from './samples.ts';
import { bodyWord, headerWord, shellStdin, shellWord } from './shell.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const allBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const hostile = [
  "it's",
  '$(touch /tmp/x)',
  '`id`',
  '"; rm -rf ~; "',
  '\\',
  "\\'",
  '!!',
  '@/etc/passwd',
  'a\nb',
  'a\r\nb',
  '\u001b[201~id\n',
  '\t',
  '\u202egnp.exe',
  'é😀',
  '',
  '-o',
  '~',
  '*',
  '{a,b}',
  '\u007f',
  '\u0085',
];

/** Runs a script with bash. @returns its output */
const bash = async (script: string): Promise<Uint8Array> => {
  const child = Bun.spawn(['bash', '-c', script], { stdout: 'pipe', stderr: 'ignore' });
  return new Uint8Array(await new Response(child.stdout).arrayBuffer());
};

/** Runs the command with its program replaced by one that prints its arguments and input. */
const argumentsOf = async (command: string): Promise<{ args: string[]; stdin: string }> => {
  const shim =
    'cat_in() { if [ "$WITH_STDIN" ]; then base64; fi; }; curl() { printf "%s\\0" "$@"; cat_in; }; http() { curl "$@"; };';
  const piped = command.startsWith('printf');
  const out = new TextDecoder().decode(await bash(`${piped ? 'WITH_STDIN=1;' : ''}${shim}${command}`));
  const args = out.split('\0');
  return { stdin: (args.pop() ?? '').replace(/\s/g, ''), args };
};

const request = (change: Partial<CopyRequest> = {}): CopyRequest => ({
  method: 'POST',
  url: 'http://localhost:3000/hooks?a=1',
  headers: [['Content-Type', 'application/json']],
  body: bytes('{"a":1}'),
  ...change,
});

describe('shell words', () => {
  test('bash reads the original text from every quoted word', async () => {
    const words = [...hostile, String.fromCharCode(...Array.from({ length: 255 }, (_, at) => at + 1))];
    const out = await bash(words.map(word => `printf '%s\\0' ${shellWord(word)}`).join('\n'));
    expect(new TextDecoder().decode(out).split('\0').slice(0, -1)).toEqual(words);
  });

  test('any text without NUL becomes one word without control characters', async () => {
    const texts = fc
      .sample(fc.string({ unit: 'binary', maxLength: 40 }), 300)
      .map(text => text.replaceAll('\0', '').toWellFormed());
    const words = texts.map(shellWord);
    for (const word of words) expect(word).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    const out = await bash(words.map(word => `printf '%s\\0' ${word}`).join('\n'));
    expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(out).split('\0').slice(0, -1)).toEqual(texts);
  });

  test('NUL is refused in an argument and sent through a pipe', async () => {
    expect(() => shellWord('a\0')).toThrow(RangeError);
    expect(await bash(`${shellStdin(allBytes)}cat`)).toEqual(allBytes);
  });

  test('a header value keeps its bytes, UTF-8 or not', async () => {
    const value = String.fromCharCode(...Array.from({ length: 255 }, (_, at) => at + 1));
    expect(await bash(`printf %s ${headerWord(value)}`)).toEqual(allBytes.subarray(1));
  });

  test('a body becomes a word only when it is short text without special characters', () => {
    expect(bodyWord(bytes("a 'b'\n"))).toBe("'a '\\''b'\\''\n'");
    expect(bodyWord(allBytes)).toBeUndefined();
    expect(bodyWord(bytes('a\rb'))).toBeUndefined();
    expect(bodyWord(bytes('x'.repeat(200_000)))).toBeUndefined();
  });
});

describe('curl', () => {
  test('has method, target, headers and body, and removes the headers that curl adds', () =>
    expect(curlCommand(request({ method: 'PUT' }))).toBe(
      [
        "curl -g --path-as-is -X PUT 'http://localhost:3000/hooks?a=1'",
        "-H 'Content-Type: application/json'",
        '-H Accept:',
        '-H User-Agent:',
        '--data-raw \'{"a":1}\'',
      ].join(' \\\n  '),
    ));

  test('hostile text in any part stays a single argument', async () => {
    for (const text of hostile) {
      const url = `http://h/?${text}`;
      // In header values, each character is a byte.
      const value = Buffer.from(text).toString('latin1');
      const { args } = await argumentsOf(curlCommand(request({ url, headers: [['X-Evil', value]] })));
      expect(args).toContain(url);
      expect(args).toContain(text === '' ? 'X-Evil;' : `X-Evil: ${text}`);
    }
  });

  test('binary bodies are piped byte for byte', async () => {
    const { args, stdin } = await argumentsOf(curlCommand(request({ body: allBytes })));
    expect(args.slice(-2)).toEqual(['--data-binary', '@-']);
    expect(new Uint8Array(Buffer.from(stdin, 'base64'))).toEqual(allBytes);
  });

  test('a body that starts with @ is not used as a file name', () =>
    expect(curlCommand(request({ body: bytes('@/etc/passwd') }))).toEndWith("--data-raw '@/etc/passwd'"));

  test('a target with a `#` is sent as it was captured', async () => {
    const url = withTarget('http://localhost:3000/hooks', "/a#b'c", 'd=e#f');
    const { args } = await argumentsOf(curlCommand(request({ url })));
    expect(args).toContain(url);
    expect(args[args.indexOf('--request-target') + 1]).toBe("/hooks/a#b'c?d=e#f");
  });

  test('HEAD does not wait for a body', () =>
    expect(curlCommand(request({ method: 'HEAD', body: bytes('') }))).toStartWith('curl -g --path-as-is --head '));
});

describe('HTTPie', () => {
  test('a value that starts with a separator does not change the kind of its item', async () => {
    const headers: [string, string][] = [
      ['X-A', '=1'],
      ['X-B', '@/etc/passwd'],
      ['X-C', ''],
      ['X-D', 'C:\\dir'],
      ['X-E', 'a\\=b'],
      ['X-F', 'caf\xe9'],
    ];
    const command = httpieCommand(request({ headers }));
    const { args } = await argumentsOf(command.replace(/^#.*\n/gm, ''));
    expect(args).toEqual(expect.arrayContaining(['X-A:\\=1', 'X-B:\\@/etc/passwd', 'X-C;', 'X-D:C:\\dir']));
    expect(command).toStartWith('# HTTPie cannot send this X-E header\n# HTTPie cannot send this X-F header\n');
    expect(args.some(arg => arg.startsWith('X-E'))).toBe(false);
  });
});

describe('fetch', () => {
  test('the code sends the same method, headers and bytes', async () => {
    for (const body of [bytes(hostile.join('|')), allBytes, bytes('\ufeffx')]) {
      const sent: { url?: string; init?: RequestInit } = {};
      const fake = (url: string, init: RequestInit): void => void Object.assign(sent, { url, init });
      const code = fetchCode(request({ body, url: 'http://h/?</script>\u2028' }));
      expect(code).toMatch(/^[\x20-\x7e\n]*$/);
      expect(code).not.toContain('</script');
      const run = new Function('fetch', `return (async () => { ${code} })()`) as (fetch: unknown) => Promise<void>;
      await run(fake);
      expect(sent.url).toBe('http://h/?</script>\u2028');
      expect(sent.init?.headers).toEqual([['Content-Type', 'application/json']]);
      const given = sent.init?.body as string | Uint8Array;
      expect(typeof given === 'string' ? bytes(given) : given).toEqual(body);
    }
  });

  test('has a comment when a GET body cannot be sent', () =>
    expect(fetchCode(request({ method: 'GET' }))).toStartWith('// fetch cannot send the 7 byte body of a GET'));

  test.each([
    ['/a/../b', '/b'],
    ['/a/%2e%2e/b?x', '/b?x'],
    ['/a\\b', '/a/b'],
    ["/a?it's", '/a?it%27s'],
    ['/caf\u00e9', '/caf%C3%A9'],
  ])('has a comment when fetch changes %s to %s', async (given, sent) => {
    const received: string[] = [];
    const server = createServer((request, response) => {
      received.push(request.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const code = fetchCode(request({ url: `http://127.0.0.1:${port}${given}`, headers: [] }));
    await new Function(`return (async () => { ${code} })()`)();
    server.close();
    expect(received).toEqual([sent]);
    const reported = JSON.parse(/^\/\/ fetch asks for (".*?"), not for /.exec(code)?.[1] ?? 'null');
    expect(reported).toBe(sent);
  });

  test.each([
    'http://h',
    'http://h/',
    'http://h?a=%zz',
    'http://h/a?',
    'HTTP://H:80/a/b%2F..?x=[1]&y=%41',
    'no address yet',
  ])('has no comment about %s', url => expect(fetchCode(request({ url }))).toStartWith('const response'));
});

test('connection headers and redacted credentials are not copied', () =>
  expect(
    sendableHeaders([
      ['HOST', 'h'],
      ['Content-Length', '3'],
      ['authorization', '[redacted]'],
      ['X-Sig', 'v1'],
    ]),
  ).toEqual({ headers: [['X-Sig', 'v1']], redacted: ['authorization'] }));

test('path and query are appended to the destination unchanged', () => {
  expect(withTarget('http://h/hooks', '', null)).toBe('http://h/hooks');
  expect(withTarget('http://h/hooks/', '/a/../b', '')).toBe('http://h/hooks/a/../b?');
  expect(withTarget('http://h', '', 'a=%zz')).toBe('http://h?a=%zz');
});

test('samples quote the address', async () => {
  const [curl, powershell] = samplesFor("http://h/in/a'b");
  expect((await argumentsOf(curl?.text ?? '')).args).toEqual([
    "http://h/in/a'b",
    '-H',
    'content-type: application/json',
    '-d',
    '{"hello":"world"}',
  ]);
  expect(powershell?.text).toContain("'http://h/in/a''b'");
  expect(powershellWord('a\u2019b')).toBe("'a\u2019\u2019b'");
});
