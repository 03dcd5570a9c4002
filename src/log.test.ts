import { describe, expect, test } from 'bun:test';
import { DrizzleQueryError } from 'drizzle-orm';
import fc from 'fast-check';
import { createLogger, type LoggerOptions } from './log.ts';

function record(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    format: 'json',
    write: line => lines.push(line),
    clock: { now: () => 0 },
    ...options,
  });
  return { log, lines, last: (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? 'null') };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const unsafeCharacters = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

describe('lines', () => {
  test('json', () => {
    const { log, lines } = record();
    log.info('listening', { port: 4665, host: '::1', skipped: undefined });
    expect(lines).toEqual([
      '{"time":"1970-01-01T00:00:00.000Z","level":"info","message":"listening","port":4665,"host":"::1"}\n',
    ]);
  });

  test('pretty', () => {
    const { log, lines } = record({ format: 'pretty' });
    log.warn('slow commit', { durationMs: 12, path: '/a b', error: new TypeError('no') });
    expect(lines).toEqual([
      '1970-01-01T00:00:00.000Z WARN  slow commit durationMs=12 path="/a b" error={"name":"TypeError","message":"no"}\n',
    ]);
  });

  test('calls below the level are dropped', () => {
    const { log, lines } = record({ level: 'warn' });
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(lines.map(line => JSON.parse(line).message)).toEqual(['c', 'd']);
  });

  test('a child adds its fields, the call wins over them, and the parent stays as it was', () => {
    const { log, last } = record();
    const child = log.child({ requestId: 'r1', step: 1 }).child({ part: 'x' });
    child.info('m', { step: 2 });
    expect(last()).toMatchObject({ requestId: 'r1', part: 'x', step: 2 });
    log.info('m');
    expect(last()).not.toHaveProperty('requestId');
  });

  test('a field cannot pose as time, level or message', () => {
    const { log, last } = record();
    log.info('real', { message: 'fake', level: 'error', time: 1 });
    expect(last()).toMatchObject({ message: 'real', level: 'info', message_: 'fake', level_: 'error', time_: 1 });
  });
});

describe('hostile text', () => {
  test.each(['json', 'pretty'] as const)('any text in %s is one line without controls', format => {
    const nasty = fc.string({
      unit: fc.constantFrom(
        '\n',
        '\r',
        '\x1b[31m',
        '\u2028',
        '\u2029',
        '\u202e',
        '\u0085',
        '\x7f',
        '\0',
        'a',
        '"',
        '\\',
        '\ud800',
      ),
    });
    fc.assert(
      fc.property(nasty, text => {
        const { log, lines } = record({ format });
        log.child({ [text]: text }).error(text, { [text]: { [text]: [text] }, error: new Error(text) });
        expect(lines).toHaveLength(1);
        expect(lines[0]?.endsWith('\n')).toBe(true);
        expect(lines[0]?.slice(0, -1)).not.toMatch(unsafeCharacters);
      }),
    );
  });

  test('escaping keeps the text readable by a JSON parser', () => {
    const { log, last } = record();
    log.info('m', { path: '/a\r\n\u2028\u202e\x1b[0m\x7f' });
    expect(last()['path']).toBe('/a\r\n\u2028\u202e\x1b[0m\x7f');
  });

  test('values are cut at 256 characters, never through a surrogate pair', () => {
    const { log, last } = record();
    log.info('m', { long: 'x'.repeat(5000), pair: `${'x'.repeat(255)}😀` });
    expect(last()).toMatchObject({ long: `${'x'.repeat(256)}…`, pair: `${'x'.repeat(255)}…` });
  });
});

describe('secrets', () => {
  test.each([
    'authorization',
    'Proxy-Authorization',
    'cookie',
    'set-cookie',
    'password',
    'HOOKTAPE_SECRET',
    'accessToken',
    'api_key',
    'key',
    'tokenHash',
  ])('%s is redacted, at any depth and of any type', name => {
    const { log, lines } = record();
    log
      .child({ [name]: 'hunter2' })
      .info('m', { [name]: 'hunter2', deep: { [name]: { inner: 'hunter2' }, list: [{ [name]: ['hunter2'] }] } });
    expect(lines.join()).not.toContain('hunter2');
    expect(lines.join()).toContain('[redacted]');
  });

  test('what only tells about a secret stays', () => {
    const { log, last } = record();
    log.info('m', { keyId: 'key_1', key_last4: 'abcd', tokenType: 'at+jwt' });
    expect(last()).toMatchObject({ keyId: 'key_1', key_last4: 'abcd', tokenType: 'at+jwt' });
  });
});

describe('errors', () => {
  test('name, message, code and cause chain; no stack', () => {
    const { log, last, lines } = record();
    const root = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
    log.error('m', { error: new TypeError('commit failed', { cause: root }) });
    expect(last()['error']).toEqual({
      name: 'TypeError',
      message: 'commit failed',
      cause: { name: 'Error', message: 'disk I/O error', code: 'SQLITE_IOERR' },
    });
    expect(lines.join()).not.toContain('log.test');
  });

  test('the stack at level debug, on the same line', () => {
    const { log, last, lines } = record({ level: 'debug' });
    log.error('m', { error: new Error('x') });
    expect(last()['error']).toHaveProperty('stack', expect.stringContaining('log.test'));
    expect(lines.join('').trim()).not.toContain('\n');
  });

  test.each(['info', 'debug'] as const)(
    'a database error shows its cause, never the SQL and its parameters (level %s)',
    level => {
      const { log, lines, last } = record({ level });
      const cause = Object.assign(new Error('UNIQUE constraint failed'), { code: 'SQLITE_CONSTRAINT' });
      log.error('m', {
        error: new Error('outer', { cause: new DrizzleQueryError('insert into t values (?)', ['hunter2'], cause) }),
      });
      expect(lines.join()).not.toContain('hunter2');
      expect(lines.join()).not.toContain('insert into');
      expect(last()['error']).toMatchObject({ cause: { cause: { code: 'SQLITE_CONSTRAINT' } } });
    },
  );
});

describe('never throws', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const loop = new Error('loop');
  loop.cause = loop;
  const hostileError = Object.defineProperty(new Error('x'), 'message', {
    get: () => {
      throw new Error('getter');
    },
  });
  const thrower = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('proxy');
      },
    },
  );

  test.each<[string, unknown]>([
    ['circular', circular],
    ['circular cause', loop],
    [
      'throwing getter',
      {
        get x() {
          throw new Error('getter');
        },
      },
    ],
    ['hostile error', hostileError],
    ['hostile proxy', thrower],
    ['bigint', 10n],
    ['symbol', Symbol('s')],
    ['function', () => 1],
    ['NaN', Number.NaN],
    ['invalid date', new Date(Number.NaN)],
    ['bytes', new Uint8Array(1e6)],
    ['a million items', new Array(1e6).fill('x')],
    [
      'wide and deep',
      Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => ['x']))),
    ],
    ['no prototype', Object.create(null)],
  ])('%s', (_, value) => {
    const { log, lines } = record();
    log.info('still said', { value });
    expect(JSON.parse(lines[0] ?? '')).toHaveProperty('message', 'still said');
    expect(lines[0]?.length).toBeLessThan(60_000);
  });

  test('fields that cannot be read do not lose the message', () => {
    const { log, last } = record();
    log.info('still said', thrower);
    expect(last()).toMatchObject({ message: 'still said', fields: '[unreadable]' });
  });

  test('a writer that throws', () => {
    const { log } = record({
      write: () => {
        throw new Error('ENOSPC');
      },
    });
    expect(() => log.error('m')).not.toThrow();
  });
});
