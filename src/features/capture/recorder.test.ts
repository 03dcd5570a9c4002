import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { signatureWords } from '../../core/search-signature.ts';
import { unpackContent } from '../../core/stored-content.ts';
import { rowInvalid } from './group-commit.ts';
import { type Delivery, type Parcel, packParcel } from './parcel.ts';
import { createRecorder, type NewEvent, preview, type Receipt, type Recognised } from './recorder.ts';

const unknown: Recognised = { platform: null, eventType: null, verdict: null, answer: null };

const coded = (code: string | undefined): Error => Object.assign(new Error('no'), { code });

/** A recorder whose rows are kept here. */
function setUp(
  recognise: (delivery: Pick<Delivery, 'path' | 'body'>) => Recognised = () => unknown,
  refuse: (events: readonly NewEvent[]) => void = () => {},
) {
  const stored: NewEvent[] = [];
  const seen: unknown[] = [];
  let time = 0;
  const record = createRecorder({
    recognise: (_destination, arrived) => {
      seen.push(arrived.headers);
      return recognise(arrived);
    },
    sign: (words, offset, _type, body) => words.fill(body.length, offset, offset + signatureWords),
    insert: async events => {
      refuse(events);
      // The bytes are the parcel's: what is kept has to be copied.
      stored.push(...events.map(event => ({ ...event, nonce: event.nonce.slice() })));
      return 7;
    },
    monotonic: () => (time += 5),
  });
  return {
    record: async (parcel: Parcel, signed: boolean) => {
      const [result] = await record([parcel], signed);
      if (result?.status !== 'fulfilled') throw result?.reason;
      return result.value;
    },
    recordAll: record,
    stored,
    seen,
  };
}

const parcelOf = (...deliveries: Partial<Delivery & { text: string }>[]) =>
  packParcel(
    deliveries.map(({ text = '', ...given }, i) => ({
      destination: { seq: 3, url: 'https://hooks.example/in/t', secrets: [] },
      delivery: {
        method: 'POST',
        path: '',
        query: null,
        headers: ['X-A', '1', 'Authorization', 'Bearer topsecret', 'CF-Ray', '1'],
        body: new TextEncoder().encode(text),
        sourceIp: '127.0.0.1',
        receivedAt: 1000 + i,
        ...given,
      },
    })),
    Uint8Array.from({ length: deliveries.length * 12 }, (_, i) => Math.floor(i / 12) + 1),
  );

describe('the recorder', () => {
  test('stores what arrived under the header rules, and recognises it before them', async () => {
    const { record, stored, seen } = setUp(({ path }) => ({ ...unknown, platform: path, eventType: 'push' }));
    const receipt = await record(parcelOf({ text: '{"a":1}', path: '/p', query: 'q=1' }, { text: 'second' }), false);
    expect(receipt).toMatchObject({ first: 7, eventTypes: ['push', 'push'], answers: [], signatures: null });
    expect(seen[0]).toEqual([
      ['X-A', '1'],
      ['Authorization', 'Bearer topsecret'],
      ['CF-Ray', '1'],
    ]);
    const [event, second] = stored;
    if (!event) throw new Error('nothing was stored');
    expect(event).toMatchObject({ endpoint: 3, receivedAt: 1000, size: 7, method: 'POST', platform: '/p' });
    expect(Buffer.from(event.sha256).toString('hex')).toBe(createHash('sha256').update('{"a":1}').digest('hex'));
    expect([Buffer.from(event.path).toString(), Buffer.from(event.query ?? []).toString()]).toEqual(['/p', 'q=1']);
    const { headers, body } = unpackContent(event.encoding, event.content);
    expect(headers).toEqual([
      ['X-A', '1'],
      ['Authorization', '[redacted]'],
    ]);
    expect(Buffer.from(body).toString()).toBe('{"a":1}');
    expect([second?.nonce, second?.query]).toEqual([new Uint8Array(12).fill(2), null]);
  });

  test('says which deliveries want an answer of their own, and signs each when that is wanted', async () => {
    const answer = { status: 200, headers: {}, body: 'challenge' };
    const { record } = setUp(({ body }) => ({ ...unknown, answer: body.length === 5 ? answer : null }));
    const receipt = await record(parcelOf({ text: 'abc' }, { text: 'abcde' }), true);
    expect(receipt.answers).toEqual([[1, answer]]);
    expect(receipt.signatures?.length).toBe(2 * signatureWords);
    expect([receipt.signatures?.[0], receipt.signatures?.[signatureWords]]).toEqual([3, 5]);
  });

  test('stores several parcels in one commit, and says of each what became of it', async () => {
    const { recordAll, stored } = setUp(({ path }) => ({ ...unknown, eventType: path }));
    const results = await recordAll([parcelOf({ path: '/a' }, { path: '/b' }), parcelOf({ path: '/c' })], true);
    const receipts = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
    expect(receipts.map(({ first, eventTypes }) => [first, eventTypes])).toEqual([
      [7, ['/a', '/b']],
      [9, ['/c']],
    ]);
    expect(receipts.map(({ signatures }) => signatures?.length)).toEqual([2 * signatureWords, signatureWords]);
    expect(receipts.map(({ commit }) => commit)).toEqual([{ rows: 3, ms: 5 }, null]);
    expect(stored).toHaveLength(3);
  });

  const said = (results: PromiseSettledResult<Receipt>[]) =>
    results.map(one => (one.status === 'fulfilled' ? one.value.first : one.reason.code));

  test('a row that the database does not take fails its own parcel alone', async () => {
    const { recordAll, stored } = setUp(undefined, events => {
      if (events.some(({ method }) => method === 'BAD')) throw coded('SQLITE_CONSTRAINT');
    });
    const results = await recordAll([parcelOf({}), parcelOf({}, { method: 'BAD' }), parcelOf({}, {})], false);
    expect(said(results)).toEqual([7, 'SQLITE_CONSTRAINT', 7]);
    expect(stored).toHaveLength(3);
  });

  test('a row that cannot be prepared fails its own parcel alone', async () => {
    const { recordAll, stored } = setUp(({ path }) => {
      if (path === '/bad') throw new Error('no such thing');
      return unknown;
    });
    const results = await recordAll([parcelOf({ path: '/bad' }), parcelOf({}, {})], false);
    expect(said(results)).toEqual([rowInvalid, 7]);
    expect(stored).toHaveLength(2);
  });

  test.each(['SQLITE_FULL', undefined])(
    'a failure of the database (%s) is nobody’s alone, and not tried again',
    async code => {
      let tries = 0;
      const { recordAll } = setUp(undefined, () => {
        tries++;
        throw coded(code);
      });
      expect(said(await recordAll([parcelOf({}), parcelOf({})], false))).toEqual([code, code]);
      expect(tries).toBe(1);
    },
  );

  test('one that cannot be prepared is told apart from a database that fails, and nothing is stored', async () => {
    const { record, stored } = setUp(({ path }) => {
      if (path === '/bad') throw new Error('no such thing');
      return unknown;
    });
    expect(await record(parcelOf({}, { path: '/bad' }), false).catch(error => error)).toMatchObject({
      code: rowInvalid,
    });
    expect(stored).toEqual([]);
  });
});

describe('preview', () => {
  test.each([
    ['short', 'abc', 'abc'],
    ['200 characters of one byte', 'a'.repeat(300), 'a'.repeat(200)],
    ['200 characters of four bytes', '\u{1f600}'.repeat(300), '\u{1f600}'.repeat(200)],
  ])('%s', (_name, text, expected) => {
    expect(Buffer.from(preview(new TextEncoder().encode(text))).toString()).toBe(expected);
  });
});
