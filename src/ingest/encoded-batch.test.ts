import { describe, expect, test } from 'bun:test';
import { toFieldLines } from '../core/headers.ts';
import { decodeBatch, encodeBatch, isReusable, type PendingDelivery } from './encoded-batch.ts';

const noncesFor = (all: readonly PendingDelivery[]) => crypto.getRandomValues(new Uint8Array(12 * all.length));
const encode = (all: readonly PendingDelivery[], spareBuffer?: ArrayBuffer) =>
  encodeBatch(all, noncesFor(all), spareBuffer);

const secrets = [{ platform: 'stripe', secret: 's' }];
const pending = (
  seq: number,
  body: string | Uint8Array,
  changes: Partial<PendingDelivery['delivery']> = {},
): PendingDelivery => ({
  destination: { seq, url: `https://hooks.example/in/${seq}`, secrets },
  delivery: {
    method: 'POST',
    path: '/a//b%2e',
    query: null,
    fields: toFieldLines(['Host', 'x', 'X-V', '\xe9\xff "\\']),
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    sourceIp: '127.0.0.1',
    receivedAt: 1_700_000_000_123,
    ...changes,
  },
});
const comparable = (all: readonly PendingDelivery[]) =>
  all.map(({ destination, delivery }) => ({
    destination,
    delivery: {
      ...delivery,
      fields: Buffer.from(delivery.fields).toString('latin1'),
      body: Buffer.from(delivery.body).toString('hex'),
    },
  }));

describe('an encoded batch', () => {
  test('decodes to the same deliveries, byte for byte and in order', () => {
    const all = [
      pending(1, 'one'),
      pending(
        2,
        Uint8Array.from({ length: 256 }, (_, i) => i),
        { query: '', method: 'PROPFIND' },
      ),
      pending(1, '', { query: `q="it's"&%zz`, fields: new Uint8Array(0), sourceIp: '::1' }),
      pending(1, '\u0000{"a":"é"}'),
    ];
    const nonces = noncesFor(all);
    const decoded = decodeBatch(encodeBatch(all, nonces));
    expect(comparable(decoded.deliveries)).toEqual(comparable(all));
    expect(decoded.nonces).toEqual(nonces);
  });

  test('contains each destination once', () => {
    const { text } = encode([1, 2, 1, 1].map(seq => pending(seq, 'x')));
    expect(text.split('https://hooks.example/in/1"')).toHaveLength(2);
  });

  test('keeps the secrets of each delivery when they change between two of them', () => {
    const later = pending(1, 'x');
    later.destination.secrets = [...secrets, { platform: 'github', secret: 't' }];
    const all = [pending(1, 'x'), later, pending(1, 'x')];
    expect(decodeBatch(encode(all)).deliveries.map(({ destination }) => destination.secrets.length)).toEqual([1, 2, 1]);
  });

  test('overwrites a reusable buffer that is large enough, and allocates a new one otherwise', () => {
    const first = encode([pending(1, 'x'.repeat(1000))]);
    const again = encode([pending(1, 'y')], first.bytes);
    expect(again.bytes).toBe(first.bytes);
    expect(Buffer.from(decodeBatch(again).deliveries[0]?.delivery.body ?? []).toString()).toBe('y');
    const large = encode([pending(1, new Uint8Array(3 << 20))], first.bytes);
    expect(large.bytes).not.toBe(first.bytes);
    expect([isReusable(first.bytes), isReusable(large.bytes)]).toEqual([true, false]);
  });

  test('a transferred buffer is not reusable', () => {
    const { bytes } = encode([pending(1, 'x')]);
    structuredClone(bytes, { transfer: [bytes] });
    expect(isReusable(bytes)).toBe(false);
  });
});
