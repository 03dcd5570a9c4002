import { describe, expect, test } from 'bun:test';
import { learn } from '../../../testing/schemas.ts';
import { commentText, keyName, typeName } from './names.ts';
import { toTypeScript } from './print-typescript.ts';
import { toZod } from './print-zod.ts';

test.each([
  ['invoice.paid', 'InvoicePaid'],
  ['check_run', 'CheckRun'],
  ['orders/create', 'OrdersCreate'],
  ['PAYMENT.SALE.COMPLETED', 'PaymentSaleCompleted'],
  ['orderPaid', 'OrderPaid'],
  ['com.example.Thing', 'ComExampleThing'],
  ['2fa.enabled', 'Event2faEnabled'],
  ['größe', 'Größe'],
  ['²', 'Event'],
  ['*/ alert(1) //', 'Alert1'],
  ['…', 'WebhookEvent'],
  ['', 'WebhookEvent'],
  [null, 'WebhookEvent'],
])('the type %j is named %s', (type, name) => {
  expect(typeName(type)).toBe(name);
});

describe('what a sender chose', () => {
  test.each([
    ['plain', 'plain'],
    ['$x_1', '$x_1'],
    ['a-b', '"a-b"'],
    ['1a', '"1a"'],
    ['a"; evil(); "', '"a\\"; evil(); \\""'],
    ['\u2028\u202e', '"\\u2028\\u202e"'],
    ['\ud800', '"\\ud800"'],
  ])('is a key: %j', (key, name) => {
    expect(keyName(key)).toBe(name);
  });

  test.each([['*/'], ['\n'], ['\r'], ['\u2028'], ['\u2029']])('cannot end a comment: %j', text => {
    expect(commentText(`a${text}b`)).not.toContain(text);
    const source = toTypeScript(learn(['{}']), { platform: text, type: text });
    expect(source.split(/[\n\r\u2028\u2029]/)).toHaveLength(3);
  });
});

const body = {
  id: 12345678901,
  paid: true,
  at: '2026-11-22T10:00:00Z',
  'odd key': null,
  lines: [
    { sku: 'A-1', price: 1.5 },
    { sku: 'A-2', price: 2, note: null },
  ],
  mixed: [1, 'a', null],
  none: [],
  empty: {},
};

test('TypeScript', () => {
  expect(toTypeScript(learn([JSON.stringify(body)]), { platform: 'acme', type: 'order.paid' })).toBe(
    `// "order.paid" of "acme", as seen in 1 event
export type OrderPaid = {
  id: number;
  paid: boolean;
  at: string; // date-time
  "odd key": null;
  lines: {
    sku: string;
    price: number;
    note?: null;
  }[];
  mixed: (number | string | null)[];
  none: unknown[];
  empty: {};
};
`,
  );
});

test('Zod', () => {
  expect(toZod(learn([JSON.stringify(body), '[]']), { platform: null, type: null })).toBe(
    `import { z } from 'zod';

// events without a type, as seen in 2 events
export const WebhookEvent = z.union([z.array(z.unknown()), z.object({
  id: z.number().int(),
  paid: z.boolean(),
  at: z.string() /* date-time */,
  "odd key": z.null(),
  lines: z.array(z.object({
    sku: z.string(),
    price: z.number(),
    note: z.null().optional(),
  })),
  mixed: z.array(z.union([z.number().int(), z.string()]).nullable()),
  none: z.array(z.unknown()),
  empty: z.object({}),
})]);
`,
  );
});

test('an integer beyond 2^53 is marked, since JSON.parse rounds it', () => {
  const schema = learn(['{"id":9007199254740993}']);
  expect(toTypeScript(schema, { platform: null, type: null })).toContain(
    'id: number; // integers beyond 2^53, which JSON.parse rounds',
  );
});
