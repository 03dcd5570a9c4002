import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { ObjectStoreError } from '../../core/network/object-store.ts';
import { parseS3Location } from '../../core/network/s3-location.ts';
import { openMemoryStore } from '../../testing/object-store/memory-store.ts';
import { createS3Store } from './s3-store.ts';

let server: Awaited<ReturnType<typeof openMemoryStore>>;
beforeAll(async () => {
  server = await openMemoryStore({ pageSize: 3 });
});
afterAll(() => server.close());
beforeEach(() => {
  server.objects.clear();
  server.setFault(() => undefined);
});

const open = (where = `s3://tapes/one two/ü+%41=&x`, longestSilenceMs = 300) => {
  const location = parseS3Location(where);
  if (!location) throw new Error('no location');
  return createS3Store(server.settings, location, { clock: Date, longestSilenceMs });
};
const text = (value: string): Uint8Array => Buffer.from(value);
const failureOf = async (promise: Promise<unknown>) => {
  const [settled] = await Promise.allSettled([promise]);
  if (settled.status === 'fulfilled') return undefined;
  if (settled.reason instanceof ObjectStoreError) return settled.reason.failure;
  throw settled.reason;
};

describe('an object', () => {
  test('comes back whole and in parts, under its exact name', async () => {
    const store = open();
    await store.put('a/b', text('0123456789'));
    expect([...server.objects.keys()]).toEqual(['one two/ü+%41=&x/a/b']);
    expect((await store.get('a/b', { maxBytes: 10 })).bytes.toString()).toBe('0123456789');
    expect((await store.get('a/b', { range: [2, 3] })).bytes.toString()).toBe('234');
    expect(await store.head('a/b')).toMatchObject({ size: 10 });
  });

  test('is written only under its condition', async () => {
    const store = open();
    const etag = await store.put('a', text('1'), { when: 'absent' });
    expect(await failureOf(store.put('a', text('2'), { when: 'absent' }))).toBe('condition');
    expect(await failureOf(store.put('a', text('2'), { when: { etag: '"other"' } }))).toBe('condition');
    await store.put('a', text('3'), { when: { etag: etag ?? '' } });
    expect((await store.get('a', { maxBytes: 1 })).bytes.toString()).toBe('3');
  });

  test('that is missing has another error than one that is too long or shorter than asked for', async () => {
    const store = open();
    await store.put('a', text('0123'));
    expect(await store.head('b')).toBeUndefined();
    expect(await failureOf(store.get('b', { maxBytes: 9 }))).toBe('missing');
    expect(await failureOf(store.get('a', { maxBytes: 3 }))).toBe('unavailable');
    expect(await failureOf(store.get('a', { range: [2, 3] }))).toBe('unavailable');
  });

  test('of a bucket that does not exist is not merely missing', async () => {
    expect(await failureOf(open('s3://elsewhere').get('a', { maxBytes: 1 }))).toBe('denied');
  });
});

test('a list has all pages, and only names under the prefix', async () => {
  const store = open('s3://tapes/p');
  for (const name of ['p/a/1', 'p/a/2', 'p/a/3', 'p/a/4 &<', 'p/b', 'q/a/5'])
    server.objects.set(name, { bytes: Buffer.from('x'), etag: '"e"', modifiedAt: 1000 });
  const names = async (options = {}) => (await Array.fromAsync(store.list(options))).map(({ name }) => name);
  expect(await names()).toEqual(['a/1', 'a/2', 'a/3', 'a/4 &<', 'b']);
  expect(await names({ under: 'a/', startAfter: 'a/2' })).toEqual(['a/3', 'a/4 &<']);
  expect((await Array.fromAsync(store.list()))[0]).toEqual({ name: 'a/1', size: 1, etag: '"e"', modifiedAt: 1000 });
});

describe('deletion', () => {
  test('takes many names at once, also names of missing objects', async () => {
    const store = open('s3://tapes');
    for (const name of ['a', 'b<&', 'c']) await store.put(name, text('x'));
    await store.removeAll(['a', 'b<&', 'none']);
    await store.remove('none');
    expect([...server.objects.keys()]).toEqual(['c']);
  });

  test('goes one by one if the store knows no other way', async () => {
    const store = open('s3://tapes');
    for (const name of ['a', 'b']) await store.put(name, text('x'));
    server.setFault(({ method }) => (method === 'POST' ? { status: 501, code: 'NotImplemented' } : undefined));
    await store.removeAll(['a', 'b']);
    expect(server.objects.size).toBe(0);
  });
});

describe('a store that fails', () => {
  test.each([
    [{ status: 503, code: 'SlowDown', headers: { 'retry-after': '7' } }, 'busy'],
    [{ status: 507, code: 'XMinioStorageFull' }, 'full'],
    [{ status: 400, code: 'XMinioStorageFull' }, 'full'],
    [{ status: 500 }, 'unavailable'],
    [{ status: 403, code: 'AccessDenied' }, 'denied'],
    [{ status: 301, code: 'PermanentRedirect', headers: { location: 'http://127.0.0.1:1/' } }, 'denied'],
    [{ status: 400, code: 'EntityTooLarge' }, 'refused'],
    ['silent', 'unavailable'],
    ['reset', 'unavailable'],
    ['no-answer', 'unavailable'],
    ['cut', 'unavailable'],
  ] as const)('%j is %s', async (fault, failure) => {
    server.objects.set('a', { bytes: Buffer.alloc(1000), etag: '"e"', modifiedAt: 0 });
    server.setFault(() => fault);
    expect(await failureOf(open('s3://tapes').get('a', { maxBytes: 1000 }))).toBe(failure);
  });

  test('says how long to wait, and its words are cleaned', async () => {
    server.setFault(() => ({ status: 503, code: `Slow\u0007${'x'.repeat(500)}`, headers: { 'retry-after': '7' } }));
    const [settled] = await Promise.allSettled([open('s3://tapes').put('a', text('x'))]);
    const error = settled.status === 'rejected' ? (settled.reason as ObjectStoreError) : undefined;
    expect(error?.retryAfterMs).toBe(7000);
    expect(error?.message).toStartWith('PUT a: status 503 Slow xxx');
    expect(error?.message.length).toBeLessThan(300);
  });

  test('ends with the reason of the caller who gave up', async () => {
    server.setFault(() => 'silent');
    const giveUp = new AbortController();
    const request = open('s3://tapes', 60_000).put('a', text('x'), { signal: giveUp.signal });
    giveUp.abort(new Error('enough'));
    const [settled] = await Promise.allSettled([request]);
    expect(settled).toMatchObject({ status: 'rejected', reason: { message: 'enough' } });
  });
});

test('a wrong clock is corrected by that of the store', async () => {
  const dates: string[] = [];
  const skewed = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: request => {
      dates.push(request.headers.get('x-amz-date') ?? '');
      const headers = { date: 'Mon, 02 Nov 2026 10:00:00 GMT' };
      if (dates.length > 1) return new Response(null, { headers });
      return new Response('<Error><Code>RequestTimeTooSkewed</Code></Error>', { status: 403, headers });
    },
  });
  const settings = { ...server.settings, endpoint: skewed.url.origin };
  await createS3Store(settings, { bucket: 'tapes', prefix: '' }, { clock: { now: () => 0 } }).put('a', text('x'));
  await skewed.stop(true);
  expect(dates).toEqual(['19700101T000000Z', '20261102T100000Z']);
});

test('the bucket says whether it keeps versions', async () => {
  expect(await open().keepsVersions()).toBe(false);
  const other = await openMemoryStore({ versioning: 'Enabled' });
  const store = createS3Store(other.settings, { bucket: 'tapes', prefix: '' }, { clock: Date });
  expect(await store.keepsVersions()).toBe(true);
  other.setFault(() => ({ status: 403, code: 'AccessDenied' }));
  expect(await store.keepsVersions()).toBeUndefined();
  await other.close();
});
