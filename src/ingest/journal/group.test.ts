/* A group is decoded as it was written, and only if it is intact. */
import { describe, expect, test } from 'bun:test';
import { nonceBytes } from '../../core/ids/ids.ts';
import { randomBytes } from '../../testing/test-server.ts';
import {
  decodeGroup,
  type EarlyRecognition,
  encodeGroup,
  groupAlignment,
  isIntactGroup,
  type JournalEntry,
  readGroupHeader,
} from './group.ts';

const segmentNonce = Buffer.from('12345678');

function entry(
  given: Partial<JournalEntry['delivery']> = {},
  recognition: EarlyRecognition | null = null,
): JournalEntry {
  return {
    endpoint: 7,
    platforms: ['github'],
    delivery: {
      method: 'POST',
      path: '/caf\u00e9\u0080',
      query: null,
      fields: Buffer.from('A: 1\r\nb: \xff\r\n', 'latin1'),
      body: Buffer.from('{"a":1}'),
      sourceIp: '::1',
      receivedAt: 1_700_000_000_000,
      ...given,
    },
    recognition,
  };
}

const encode = (entries: readonly JournalEntry[], first = 41) => {
  const nonces = randomBytes(nonceBytes * entries.length);
  const { buffer, bytes } = encodeGroup(entries, nonces, { segmentNonce, group: 5, first }, size =>
    Buffer.alloc(size, 0xaa),
  );
  return { group: buffer.subarray(0, bytes), nonces };
};

const readable = ({ delivery, ...rest }: JournalEntry) => ({
  ...rest,
  delivery: {
    ...delivery,
    fields: Buffer.from(delivery.fields).toString('latin1'),
    body: Buffer.from(delivery.body).toString('hex'),
  },
});

describe('a group', () => {
  test('is decoded with every field of every delivery, its nonces and its numbers', () => {
    const entries = [
      entry(),
      entry({ query: '', body: new Uint8Array(0), fields: new Uint8Array(0) }),
      ...['old', 'new'].map(token => ({ ...entry(), url: `https://tape.example/in/${token}` })),
      { ...entry({ body: randomBytes(100_000), query: 'q=%22' }), endpoint: 8, platforms: [] },
      entry({}, { platform: 'stripe', eventType: 'a.b', verdict: '{"verdict":"valid"}' }),
      entry({}, { platform: null, eventType: null, verdict: null }),
    ];
    const { group, nonces } = encode(entries);
    expect(group.length % groupAlignment).toBe(0);
    expect(readGroupHeader(group, segmentNonce)).toEqual({
      group: 5,
      first: 41,
      count: entries.length,
      bytes: group.length,
    });
    expect(isIntactGroup(group)).toBe(true);
    const decoded = decodeGroup(group);
    expect(decoded.entries.map(readable)).toEqual(entries.map(readable));
    expect(Buffer.from(decoded.nonces)).toEqual(Buffer.from(nonces));
    expect(decoded.first).toBe(41);
  });

  test('keeps row numbers beyond 32 bits', () => {
    const { group } = encode([entry()], 2 ** 40 + 3);
    expect(readGroupHeader(group, segmentNonce)?.first).toBe(2 ** 40 + 3);
  });

  test('of another segment is ignored', () => {
    const { group } = encode([entry()]);
    expect(readGroupHeader(group, Buffer.from('12345679'))).toBeUndefined();
    expect(readGroupHeader(Buffer.alloc(groupAlignment), segmentNonce)).toBeUndefined();
  });

  test('that is cut off is not intact', () => {
    const { group } = encode([entry({ body: randomBytes(20_000) })]);
    for (const length of [0, 10, 63, 64, 500, 4096, 19_000])
      expect(isIntactGroup(group.subarray(0, length))).toBe(false);
  });
});
