/* The shell script sends what was captured, byte for byte, in every shell of this machine, and executes nothing of it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { recordRequests } from '../../testing/request-recorder.ts';
import { expected, openScriptRuns, type ScriptRuns, type SentEvent, shells, shown } from '../../testing/script-runs.ts';
import { shellWord } from './script-format.ts';

setDefaultTimeout(120_000);

let runs: ScriptRuns;
beforeAll(async () => {
  runs = await openScriptRuns();
});
afterAll(() => runs.close());

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

const hostile: SentEvent[] = [
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
  ...commands.flatMap((command): SentEvent[] => [
    { path: `/${command.replaceAll(' ', '%20')}`, query: command.replaceAll(' ', '\x80'), body: command },
    {
      rawHeaders: [
        ['X-Command', command],
        [command.replace(/[^!#$%&'*+.^_`|~0-9A-Za-z-]/g, ''), command],
      ],
    },
  ]),
];

describe('the script', () => {
  test.each(shells)('sends what was captured, and executes nothing of it: %s', async (...shell) => {
    const { text } = await runs.scriptOf(hostile, "x'; touch pwned; '$(touch pwned)");
    expect(text).toMatch(/^[\n\x20-\x7e]*$/);
    const to = await recordRequests();
    const { exitCode, stdout, stderr, left } = await runs.run(text, [`${to.origin}/base/`], { shell });
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

describe('a script that was cut off', () => {
  test.each(shells)('sends no incomplete event, and does not exit with 0: %s', async (...shell) => {
    const events = [
      { path: '/1', rawHeaders: [['A', 'b'] as [string, string]] },
      { path: '/2', body: noise(300) },
    ];
    const { text } = await runs.scriptOf(events);
    const start = text.indexOf('{ send');
    const to = await recordRequests();
    const ends = Array.from({ length: text.length - start }, (_, i) => start + i);
    const lineEnds = ends.filter(end => text[end] === '\n' || text[end - 1] === '\n');
    for (const end of [...lineEnds.slice(0, -1), ...ends.filter((_, i) => i % 71 === 0)]) {
      to.requests.length = 0;
      const { exitCode } = await runs.run(text.slice(0, end), [to.origin], { shell });
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
    const { stdout } = await runs.run(`printf '%s\\n' ${words.map(shellWord).join(' ')} | base64\n`, [], { shell });
    expect(Buffer.from(stdout, 'base64').toString('latin1')).toBe(`${words.join('\n')}\n`);
  });
});
