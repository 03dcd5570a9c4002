import { describe, expect, test } from 'bun:test';
import { delivery } from '../../testing/deliveries.ts';
import { detect } from '../platforms.ts';

describe('an event type', () => {
  const typeOf = (body: string) =>
    detect(delivery({ headers: { 'Stripe-Signature': 't=1,v1=0', 'Content-Type': 'application/json' }, body }), []);

  test.each([
    '{"type":"a"}{"type":"b"}',
    '{"type":"x",}',
    '{"type":"x"',
    '{"type":"x"} trailing',
    '{"type":"x","data":{]}',
  ])('is not read out of %j', body => expect(typeOf(body)).toMatchObject({ platform: 'stripe', eventType: null }));

  test('is read out of JSON of any depth and width', () => {
    const deep = `{"type":"a.b","x":${'['.repeat(1000)}${']'.repeat(1000)}}`;
    const wide = `{"type":"a.b","x":[${'{"k":1},'.repeat(30_000)}0]}`;
    for (const body of ['{"type":"a.b"}', ' {"type":"a.b"}\n', deep, wide]) expect(typeOf(body).eventType).toBe('a.b');
  });
});
