import { describe, expect, test } from 'bun:test';
import { fromHarEntry } from '../../cli/import/har-entry.ts';
import { detect } from '../../platforms/platforms.ts';
import { AppError } from '../errors.ts';
import { decodeCursor, encodeCursor } from '../ids/cursor.ts';
import { readEvent } from './exported-event.ts';

const fromHar = (entry: unknown) => fromHarEntry(entry, delivery => detect(delivery, []));

const good = {
  id: 'evt_1',
  receivedAt: 1_700_000_000_000,
  method: 'POST',
  path: '/a/%2e/\xe9',
  query: 'x=1&x=2',
  headers: {},
  rawHeaders: [
    ['X-A', 'caf\xe9\t1'],
    ['__proto__', ''],
  ],
  eventType: 'issues.opened',
  platform: 'github',
  size: 2,
  sha256: '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4',
  payloadRaw: 'hi',
  payloadEncoding: 'utf8',
};

const answered = { status: 401, rule: null, delayMs: 0, fault: null, limited: false };

/** The paths of all values in it, at any depth. */
const pathsIn = (value: unknown): string[][] =>
  Object.entries(typeof value === 'object' ? (value ?? {}) : {}).flatMap(([name, inner]) => [
    [name],
    ...pathsIn(inner).map(path => [name, ...path]),
  ]);

function replacedAt(whole: object, [name = '', ...rest]: string[], value: unknown): object {
  const copy = structuredClone(whole) as Record<string, unknown>;
  copy[name] = rest.length === 0 ? value : replacedAt(copy[name] as object, rest, value);
  return copy;
}

describe('readEvent', () => {
  test('reads an event as an export contains it', () => {
    const { body, sha256, ...rest } = readEvent(good);
    expect(Buffer.from(body).toString()).toBe('hi');
    expect(Buffer.from(sha256).toString('hex')).toBe(good.sha256);
    const { receivedAt, method, path, query, eventType, platform } = good;
    expect(rest).toEqual({
      receivedAt,
      method,
      path,
      query,
      eventType,
      platform,
      pin: null,
      tags: [],
      outcome: null,
      redacted: null,
      headers: [
        ['X-A', 'caf\xe9\t1'],
        ['__proto__', ''],
      ],
    });
  });

  test('a null or missing query or platform is null; an empty query stays empty; a missing event type stays missing', () => {
    const { query: _, platform: __, eventType: ___, ...rest } = good;
    expect(readEvent({ ...rest, eventType: null })).toMatchObject({ query: null, platform: null, eventType: null });
    expect(readEvent(rest).eventType).toBeUndefined();
    expect(readEvent({ ...good, query: '' }).query).toBe('');
  });

  test('bidirectional control characters are removed from an event type', () => {
    expect(readEvent({ ...good, eventType: 'a\u202eb\u2066.\u200fc' }).eventType).toBe('ab.c');
    expect(readEvent({ ...good, eventType: '\u202e' }).eventType).toBeNull();
  });

  test('the header rules are applied', () => {
    const rawHeaders = [
      ['Cookie', 's=1'],
      ['CF-Ray', '1'],
      ['X-Real-IP', '1'],
      ['Authorization', 'Bearer x'],
    ];
    expect(readEvent({ ...good, rawHeaders }).headers).toEqual([
      ['Cookie', '[redacted]'],
      ['Authorization', '[redacted]'],
    ]);
  });

  test.each([
    [{ receivedAt: '5' }, 'receivedAt'],
    [{ receivedAt: 1.5 }, 'receivedAt'],
    [{ receivedAt: 1e16 }, 'receivedAt'],
    [{ receivedAt: 2 ** 50 + 1 }, 'receivedAt'],
    [{ receivedAt: -(2 ** 50) - 1 }, 'receivedAt'],
    [{ method: 'GE T' }, 'method'],
    [{ method: null }, 'method'],
    [{ method: 'M'.repeat(101) }, 'method'],
    [{ path: 'a' }, 'path'],
    [{ path: '/a?b' }, 'path'],
    [{ path: '/a b' }, 'path'],
    [{ path: '/\u0100' }, 'path'],
    [{ query: 'a\nb' }, 'query'],
    [{ query: 5 }, 'query'],
    [{ rawHeaders: {} }, 'rawHeaders'],
    [{ rawHeaders: [['a']] }, 'rawHeaders[0]'],
    [{ rawHeaders: [['a:', 'b']] }, 'rawHeaders[0][0]'],
    [{ rawHeaders: [['a', 'b\r\nc: d']] }, 'rawHeaders[0][1]'],
    [{ rawHeaders: [['a', '\u0000']] }, 'rawHeaders[0][1]'],
    [{ rawHeaders: [['a', '\u0100']] }, 'rawHeaders[0][1]'],
    [{ platform: 'Git Hub' }, 'platform'],
    [{ eventType: 'a\u0000' }, 'eventType'],
    [{ eventType: '\ud800' }, 'eventType'],
    [{ payloadRaw: 'ho' }, 'sha256'],
    [{ payloadRaw: '\ud800' }, 'sha256'],
    [{ payloadRaw: 5 }, 'payloadRaw'],
    [{ payloadEncoding: 'hex' }, 'payloadEncoding'],
    [{ payloadEncoding: 'base64', payloadRaw: 'aGk' }, 'base64'],
    [{ payloadEncoding: 'base64', payloadRaw: '!!!!' }, 'base64'],
    [{ pin: { name: 'Golden', pinnedAt: 1 } }, 'pin.name'],
    [{ pin: { note: 'a\u0000', pinnedAt: 1 } }, 'pin.note'],
    [{ pin: { name: 'golden' } }, 'pin.pinnedAt: required'],
    [{ tags: ['a', ' '] }, 'tags[1]'],
    [{ answered: { ...answered, status: 99 } }, 'answered.status'],
    [{ answered: { ...answered, rule: 'a\nb' } }, 'answered.rule'],
    [{ answered, refused: 404 }, 'refused'],
  ])('refuses %j', (change, message) => {
    expect(() => readEvent({ ...good, ...change })).toThrow(message);
  });

  test('every refusal names a field and what it must be', () => {
    const whole = { ...good, pin: { name: 'golden', note: 'a', pinnedAt: 1 }, tags: ['a'], answered, refused: null };
    const values = [null, undefined, -1, 2 ** 51, 1.5, '', 'a', '\ud800', '/ ', 'a\nb', true, [], [[]], [['a', 5]], {}];
    let refused = 0;
    for (const path of pathsIn(whole))
      for (const value of values) {
        try {
          readEvent(replacedAt(whole, path, value));
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          refused++;
          expect(error.problems[0]?.path[0]).toBeOneOf(Object.keys(whole));
          expect(error.problems[0]?.message).not.toBeOneOf(['', undefined]);
        }
      }
    expect(refused).toBeGreaterThan(250);
  });

  test('what follows another field is read only beside it', () => {
    expect(readEvent({ ...good, answered: null, refused: 'unknown' }).outcome).toBeNull();
    expect(readEvent({ ...good, answered, refused: 401 }).outcome).toEqual({ answered, refused: 401 });
  });

  test.each([2 ** 50, -(2 ** 50)])('a cursor can encode the time %p', receivedAt => {
    const read = readEvent({ ...good, receivedAt });
    expect(decodeCursor(encodeCursor({ receivedAt: read.receivedAt, seq: 1 }))).toEqual({ receivedAt, seq: 1 });
  });

  test.each([[null], [5], ['x'], [[]]])('refuses %j', value =>
    expect(() => readEvent(value)).toThrow('must be an object'),
  );
});

describe('fromHarEntry', () => {
  const request = {
    method: 'POST',
    url: `https://hooks.example.com/in/${'0'.repeat(32)}/a[]?b=%zz`,
    headers: [{ name: 'X-A', value: '1' }],
    postData: { mimeType: 'text/plain', text: 'aGk=', _encoding: 'base64' },
  };
  const entry = { startedDateTime: '2026-11-01T10:00:00.123Z', request, _eventType: 'push', _platform: 'github' };

  test('reads an entry that Hooktape exported', () => {
    const event = readEvent(fromHar(entry));
    expect(event).toMatchObject({
      receivedAt: Date.UTC(2026, 10, 1, 10, 0, 0, 123),
      path: '/a[]',
      query: 'b=%zz',
      headers: [['X-A', '1']],
      eventType: 'push',
      platform: 'github',
    });
    expect(Buffer.from(event.body).toString()).toBe('hi');
  });

  test('reads an entry that a browser exported, with pseudo-headers, non-latin1 characters and a form without text', () => {
    const event = readEvent(
      fromHar({
        startedDateTime: '2026-11-01T10:00:00+02:00',
        request: {
          method: 'POST',
          url: 'https://example.com/päth/ж x?ж',
          headers: [
            { name: ':method', value: 'POST' },
            { name: 'x-b', value: 'ж' },
          ],
          postData: { mimeType: 'application/x-www-form-urlencoded', params: [{ name: 'a', value: 'b c' }] },
        },
      }),
    );
    expect(event).toMatchObject({ path: '/päth/%D0%B6%20x', query: '%D0%B6', headers: [['x-b', '\xd0\xb6']] });
    expect(Buffer.from(event.body).toString()).toBe('a=b+c');
    expect(event.receivedAt).toBe(Date.UTC(2026, 10, 1, 8));
  });

  test('the platform of a foreign entry is detected; an entry that Hooktape exported keeps its platform and event type', () => {
    const stripe = {
      ...entry,
      request: {
        ...request,
        headers: [
          { name: 'Stripe-Signature', value: 't=1,v1=0' },
          { name: 'Content-Type', value: 'application/json' },
        ],
        postData: { mimeType: 'application/json', text: '{"type":"charge.succeeded"}' },
      },
    };
    const { _eventType, _platform, ...foreign } = stripe;
    expect(readEvent(fromHar(foreign))).toMatchObject({ platform: 'stripe', eventType: 'charge.succeeded' });
    expect(readEvent(fromHar(stripe))).toMatchObject({ platform: 'github', eventType: 'push' });
    expect(readEvent(fromHar({ ...stripe, _eventType: null, _platform: null }))).toMatchObject({
      platform: null,
      eventType: null,
    });
    // Detection also sees headers that are not stored.
    const cloudflare = { ...foreign, request: { ...request, headers: [{ name: 'cf-webhook-auth', value: 'x' }] } };
    expect(readEvent(fromHar(cloudflare))).toMatchObject({ platform: 'cloudflare', headers: [] });
  });

  test('a # is part of the target in a Hooktape export, and begins a fragment in any other file', () => {
    const url = `http://localhost:4665/in/${'0'.repeat(32)}/a#b/c?d#e?f`;
    const { _eventType, ...foreign } = { ...entry, request: { ...request, url } };
    expect(readEvent(fromHar({ ...foreign, _eventType }))).toMatchObject({ path: '/a#b/c', query: 'd#e?f' });
    expect(readEvent(fromHar(foreign))).toMatchObject({ path: '/a', query: null });
  });

  test.each([
    [{ startedDateTime: 'soon' }, 'startedDateTime must be a time'],
    [{ request: null }, 'request'],
    [{ request: { ...request, url: '/relative' } }, 'request.url'],
    [{ request: { ...request, headers: 5 } }, 'request.headers'],
    [{ request: { ...request, headers: [5] } }, 'request.headers[0]'],
    [{ request: { ...request, headers: [{ name: 5, value: 'x' }] } }, 'rawHeaders[0][0]'],
    [{ request: { ...request, postData: 'x' } }, 'request.postData'],
  ])('refuses %j', (change, message) => {
    expect(() => readEvent(fromHar({ ...entry, ...change }))).toThrow(message);
  });
});
