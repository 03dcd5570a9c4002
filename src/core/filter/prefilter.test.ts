/* The prefilter keeps every event that a filter matches, whatever the bytes are, and excludes most others. */
import { expect, test } from 'bun:test';
import { parseFilter } from '../../shared/filter/parser.ts';
import { keptIn, oddBlockOf, oddFactsOf } from '../../testing/filters/odd-blocks.ts';
import { createOddEvents, type OddEvent } from '../../testing/filters/odd-events.ts';
import type { HeaderPair } from '../headers.ts';
import { evaluate } from './evaluate.ts';

test('every event that a random filter matches is kept', () => {
  const { event, filter } = createOddEvents(7);
  const counts = { matched: 0, excluded: 0, compared: 0 };
  for (let round = 0; round < 8; round++) {
    const events = Array.from({ length: 80 }, event);
    const block = oddBlockOf(events);
    const contents = events.map(oddFactsOf);
    for (let i = 0; i < 100; i++) {
      const { text, matches } = filter();
      const parsed = parseFilter(text);
      const kept = keptIn(block, parsed);
      for (const [n, one] of events.entries()) {
        const found = evaluate(parsed, contents[n] as ReturnType<typeof oddFactsOf>, 0);
        const naive = matches(one) ?? found;
        const [headers, body] = [one.headers, one.body.toString()];
        if (found !== naive || (found && !kept.has(n)))
          expect({ text, headers, body, found, naive, kept: kept.has(n) }).toBe(0 as never);
        counts.matched += Number(found);
        counts.excluded += Number(!kept.has(n));
        counts.compared++;
      }
    }
  }
  expect(counts.matched).toBeGreaterThan(counts.compared / 20);
  expect(counts.excluded).toBeGreaterThan(counts.compared / 5);
});

const json: HeaderPair[] = [['Content-Type', 'application/json']];
const form: HeaderPair[] = [['content-type', 'Application/x-www-form-URLENCODED']];
const multipart: HeaderPair[] = [['content-type', 'multipart/form-data; boundary=cut']];

/** Whether an event between two others is kept. */
function isKept(where: string, body: string, headers = json): boolean {
  const others = [json, form].map(
    one => ({ headers: one, query: null, body: Buffer.from('{"b":1}'), fields: 'none' }) as const,
  );
  const event: OddEvent = { headers, query: null, body: Buffer.from(body), fields: undefined };
  return keptIn(oddBlockOf([...others, event, ...others]), parseFilter(where)).has(2);
}

type Case = [what: string, where: string, body: string, headers?: HeaderPair[]];

test.each<Case>([
  ['a key with an escape', 'body.amount:5', '{"\\u0061mount":5}'],
  ['a key with an escaped slash', 'has:body."a/b"', '{"a\\/b":5}'],
  ['a key with an escape beyond Latin', 'has:body.漢', '{"\\u6f22":5}'],
  ['a key that is always escaped', 'has:body."a\\"b"', '{"a\\"b":5}'],
  ['a value with an escape', 'body.amount:"a/b"', '{"amount":"a\\/b"}'],
  ['a number in another notation', 'body.amount:1234567', '{"amount":12.34567E5}'],
  ['white space around the colon', 'body.amount>4', '{"amount"\r\n\t :  5}'],
  ['a later key of the same name', 'body.amount>4', '{"amount":1,"amount":5}'],
  ['a key below a longer one with a quote', 'body.amount>4', '{"x\\"amount":1,"amount":5}'],
  ['a position in a list', 'body.items.0:5', '{"items":[5]}'],
  ['any item', 'body.items[]:5', '{"items":[5]}'],
  ['an item of the outermost list', 'body[].amount>4', '[{"amount":5}]'],
  ['a form', 'body.amount:5', 'a%6Dount=5', form],
  ['a form that begins like JSON', 'body.amount:5', '{"a":1&amount=5', form],
  ['a form that begins with the field', 'body[].amount:5', '[].amount=5', form],
  [
    'a multipart body',
    'body.amount:5',
    '--cut\r\ncontent-disposition: form-data; name=amount\r\n\r\n5\r\n--cut--',
    multipart,
  ],
  [
    'a multipart body after JSON',
    'has:body.amount',
    '{}\n--cut\ncontent-disposition: form-data; name=amount\n\n5',
    multipart,
  ],
  ['either of two terms', 'body.amount:5 OR body.a:5', '{"a":5}'],
  ['a term under NOT', 'NOT body.amount:5', '{"a":5}'],
  ['many other values', 'body.amount:5', `{${'"amount":4,'.repeat(4500)}"amount":5}`],
])('%s is kept', (...[, where, body, headers]: Case) => {
  expect(isKept(where, body, headers)).toBe(true);
});

test.each<Case>([
  ['without the key', 'has:body.amount', '{"a":5}'],
  ['with the key in a text', 'has:body.amount', '{"a":"amount","b":"\\"amount\\":5"}'],
  ['with the key as a text', 'has:body.amount', '{"a":["amount"]}'],
  ['with another number', 'body.amount>5', '{"amount":5}'],
  ['with a number in a text', 'body.amount>4', '{"amount":"5"}'],
  ['with another text', 'body.amount:"5x"', '{"amount":"5"}'],
  ['with the value further inside', 'body.amount:5', '{"a":{"amount":5}}'],
  ['with the value further outside', 'body.a.amount:5', '{"amount":5,"a":{}}'],
  ['with an ampersand in JSON', 'body.amount:5', '{"a":"?a&amount=5"}'],
  ['of a form type, but JSON', 'body.amount:5', '{"a":5}', form],
  ['without a query', 'query.page:2', '{"amount":5}'],
  ['without the header', 'has:header.x-shop', '{"x-shop":5}'],
  ['with another value of the header', 'header.content-type:"text/plain"', '{"a":"text/plain"}'],
  ['which lacks one of two fields', 'body.amount:5 body.a:5', '{"a":5}'],
])('an event %s is excluded', (...[, where, body, headers]: Case) => {
  expect(isKept(where, body, headers)).toBe(false);
});
