import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
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

describe('the event type of an unknown sender', () => {
  const json = (body: string, headers: Record<string, string> = {}) => detect(delivery({ headers, body }), []);

  test.each<[body: string, type: string | null]>([
    ['{"type":"order.created"}', 'order.created'],
    ['\ufeff {"a":{"type":"no"},"type":" order created "}', 'order created'],
    ['{"topic":"g","eventName":"f","event_name":"e","eventType":"d","event_type":"c","event":"b"}', 'b'],
    ['{"topic":"g","eventName":"f","event_name":"e"}', 'e'],
    ['{"type":{"name":"x"},"event":7,"event_type":null,"eventType":"d"}', 'd'],
    ['{"type":"first","type":"last"}', 'last'],
    ['{"type":"first","type":2,"topic":"t"}', 't'],
    ['{"type":"first","ty\\u0070e":"last"}', 'last'],
    ['{"\\u0065\\u0076\\u0065\\u006e\\u0074\\u005f\\u0074\\u0079\\u0070\\u0065":"escaped"}', 'escaped'],
    ['{"type":"\\u0061.b"}', 'a.b'],
    ['{"type":"https://example.com","topic":"a:/b"}', 'a:/b'],
    ['{"type":"","event":"._-","topic":"T_1"}', 'T_1'],
    ['{"type":"two\\nlines","event":"comma, no","topic":"größe"}', null],
    [`{"type":"${'x'.repeat(129)}","event":"${'x'.repeat(128)}"}`, 'x'.repeat(128)],
    [`{${Array.from({ length: 300 }, (_, i) => `"k${i}":0,`).join('')}"type":"late"}`, 'late'],
    ['[{"type":"x"}]', null],
    ['"type"', null],
    ['{"type":"x"', null],
    ['{"type":"x"} {}', null],
    ['{"type":"x","data":{]}', null],
    [`{"type":"x","pad":"${' '.repeat(1 << 20)}"}`, null],
  ])('%#: %s', (body, type) => expect(json(body)).toEqual({ platform: null, eventType: type, deliveryId: undefined }));

  test('is the first header that counts, and then a key of the body', () => {
    const body = '{"type":"body"}';
    expect(json(body, { 'x-topic': 'last', 'X-Event-Type': 'first' }).eventType).toBe('first');
    expect(json(body, { 'x-event': 'a, b', 'webhook-topic': ' t ' }).eventType).toBe('t');
    expect(json('not JSON', { 'x-event-name': 'named' }).eventType).toBe('named');
    expect(json(body, { 'x-event': 'https://example.com/x' }).eventType).toBe('body');
  });

  test('is not a header that came twice', () => {
    const { rawHeaders, ...rest } = delivery({ body: '{"event":"body"}' });
    const twice = [['x-event', 'a'] as const, ['X-Event', 'b'] as const];
    expect(detect({ ...rest, rawHeaders: [...rawHeaders, ...twice] }, []).eventType).toBe('body');
  });

  test('agrees with parsing', () => {
    const keys = ['type', 'event', 'event_type', 'eventType', 'event_name', 'eventName', 'topic'];
    const member = fc.tuple(
      fc.oneof(fc.constantFrom(...keys), fc.string({ maxLength: 5 })),
      fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }), fc.constantFrom('a.b', ' c ', 'd'), fc.jsonValue()),
    );
    fc.assert(
      fc.property(fc.array(member), members => {
        const body = `{${members.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(',')}}`;
        const parsed: Record<string, unknown> = JSON.parse(body);
        const counts = (value: unknown): boolean =>
          typeof value === 'string' &&
          /^[A-Za-z0-9 _.:/-]{1,128}$/.test(value.trim()) &&
          /[A-Za-z0-9]/.test(value) &&
          !value.includes('://');
        const found = keys.map(key => parsed[key]).find(counts) as string | undefined;
        const { platform, eventType } = json(body);
        fc.pre(platform === null);
        expect(eventType).toBe(found?.trim() ?? null);
      }),
    );
  });
});

test('a platform without a rule for types has the usual one; a rule that finds nothing gives none', () => {
  const zapier = detect(delivery({ headers: { 'user-agent': 'Zapier' }, body: '{"event":"zap"}' }), []);
  expect(zapier).toMatchObject({ platform: 'zapier', eventType: 'zap' });
  const stripe = detect(delivery({ headers: { 'Stripe-Signature': 't=1,v1=0' }, body: '{"event":"x"}' }), []);
  expect(stripe).toMatchObject({ platform: 'stripe', eventType: null });
});
