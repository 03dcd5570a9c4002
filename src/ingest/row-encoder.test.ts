import { describe, expect, test } from 'bun:test';
import { toFieldLines } from '../core/headers.ts';
import { nonceBytes } from '../core/ids/ids.ts';
import type { Delivery } from './delivery.ts';
import { rowErrorCode } from './group-commit.ts';
import { createRowEncoder, type Recognition } from './row-encoder.ts';

const unknown: Recognition = { platform: null, eventType: null, verdict: null, deliveryId: undefined, answer: null };

function setUp(recognise: (delivery: Pick<Delivery, 'path' | 'body'>) => Recognition = () => unknown) {
  const seen: unknown[] = [];
  const prepare = createRowEncoder({
    recognise: (_destination, arrived) => {
      seen.push(arrived.headers);
      return recognise(arrived);
    },
    hasInvalidSignature: () => false,
  });
  return { prepare, seen };
}

const deliveries = (given: Partial<Delivery & { text: string }>[]) => ({
  deliveries: given.map(({ text = '', ...rest }, i) => ({
    destination: { seq: 3, url: 'https://hooks.example/in/t', secrets: [] },
    delivery: {
      method: 'POST',
      path: '',
      query: null,
      fields: toFieldLines(['X-A', '1', 'Authorization', 'Bearer topsecret', 'CF-Ray', '1']),
      body: new TextEncoder().encode(text),
      sourceIp: '127.0.0.1',
      receivedAt: 1000 + i,
      ...rest,
    },
  })),
  nonces: Uint8Array.from({ length: given.length * nonceBytes }, (_, i) => Math.floor(i / nonceBytes) + 1),
});

describe('the row encoder', () => {
  test('recognises a delivery before it applies the header rules', () => {
    const { prepare, seen } = setUp(({ path }) => ({ ...unknown, platform: path, eventType: 'push' }));
    const { events, ...results } = prepare(
      deliveries([{ text: '{"a":1}', path: '/p', query: 'q=1' }, { text: 'second' }]),
    );
    expect(results).toEqual({ answers: [], originals: new Map() });
    expect(seen[0]).toEqual([
      ['X-A', '1'],
      ['Authorization', 'Bearer topsecret'],
      ['CF-Ray', '1'],
    ]);
    const [event, second] = events;
    if (!event) throw new Error('no event was encoded');
    expect(event).toMatchObject({ endpoint: 3, receivedAt: 1000, method: 'POST', platform: '/p' });
    expect([event.path, event.query]).toEqual(['/p', 'q=1']);
    expect(JSON.parse(event.headersJson)).toEqual([
      ['X-A', '1'],
      ['Authorization', '[redacted]'],
    ]);
    expect(Buffer.from(event.body).toString()).toBe('{"a":1}');
    expect([second?.nonce, second?.query]).toEqual([new Uint8Array(nonceBytes).fill(2), null]);
  });

  test('returns the handshake responses', () => {
    const answer = { status: 200, headers: {}, body: 'challenge' };
    const { prepare } = setUp(({ body }) => ({ ...unknown, answer: body.length === 5 ? answer : null }));
    const results = prepare(deliveries([{ text: 'abc' }, { text: 'abcde' }]));
    expect(results.answers).toEqual([[1, answer]]);
  });

  test('a delivery that cannot be encoded fails with the row error code, not a database error code', () => {
    const { prepare } = setUp(({ path }) => {
      if (path === '/bad') throw new Error('no such thing');
      return unknown;
    });
    expect(() => prepare(deliveries([{}, { path: '/bad' }]))).toThrow(expect.objectContaining({ code: rowErrorCode }));
  });
});
