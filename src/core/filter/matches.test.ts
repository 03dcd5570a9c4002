/* Where events meet filters: which fields are shown, how they are written, and that they find the event again. */
import { describe, expect, test } from 'bun:test';
import { parseFilter } from '../../shared/filter/parser.ts';
import { quoted } from '../../shared/filter/tokens.ts';
import { factsWith, matches, now } from '../../testing/filters/facts.ts';
import { createOddEvents } from '../../testing/filters/odd-events.ts';
import type { HeaderPair } from '../headers.ts';
import { maxMatchCharacters } from '../limits.ts';
import { evaluate } from './evaluate.ts';
import { findMatches } from './matches.ts';
import { result } from './steps.ts';

type Content = Parameters<typeof factsWith>[0];

/** As `FIELD=TEXT`. */
const found = (where: string, content: Content, columns: Parameters<typeof factsWith>[1] = {}): string[] => {
  const facts = factsWith(content, columns);
  expect(matches(where, facts)).toBe(true);
  return result(findMatches(parseFilter(where), facts, now)).map(({ field, text }) => `${field}=${text}`);
};

const order = JSON.stringify({
  id: 'ord_1',
  amount: 1234567,
  'order.id': 'A-1',
  items: [{ sku: 'A-1' }, { sku: 'Café-2', tags: ['x', 'new order'] }],
  customer: { name: 'Ada Lovelace', 'e mail': 'ada@example.com' },
  paid: true,
  note: null,
});

describe('a term about a field', () => {
  test.each([
    ['body.amount:1234567', ['body.amount=1234567']],
    ['body.amount>1e6', ['body.amount=1234567']],
    ['body."order.id":"A-1"', ['body."order.id"=A-1']],
    ['body.items[].sku:A*', ['body.items[].sku=A-1']],
    ['body.items[1].sku:Caf*', ['body.items[].sku=Café-2']],
    ['has:body.items[].sku', ['body.items[].sku=A-1', 'body.items[].sku=Café-2']],
    ['has:body.note', ['body.note=null']],
    ['has:body.customer', ['body={"name":"Ada Lovelace","e mail":"ada@example.com"}']],
    ['body.customer."e mail":*@example.com', ['body.customer."e mail"=ada@example.com']],
    ['body.paid:true body.id:ord_1', ['body.id=ord_1', 'body.paid=true']],
  ])('%s', (where, expected) => expect(found(where, { body: order })).toEqual(expected));

  test('is shown for headers, the query and forms', () => {
    const headers: HeaderPair[] = [
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['X-Shop', 'acme'],
      ['x-shop', 'other'],
      ['X Odd', '1'],
    ];
    const content = { headers, query: 'page=2&a%20b=c+d', body: 'user[name]=Ada+L&a.b=%C3%A9&x=1' };
    expect(found('header.x-shop:acme', content)).toEqual(['header.x-shop=acme']);
    expect(found('has:header.X-SHOP', content)).toEqual(['header.x-shop=acme', 'header.x-shop=other']);
    expect(found('header."x odd":1', content)).toEqual(['header."x odd"=1']);
    expect(found('query.page:2 query."a b":"c d"', content)).toEqual(['query.page=2', 'query."a b"=c d']);
    expect(found('body.user[name]:Ada* body.a.b:é', content)).toEqual(['body.user[name]=Ada L', 'body.a.b=é']);
  });

  test('is shown for multipart bodies, and for a file its name', () => {
    const part = (of: string, text: string) => `--cut\r\nContent-Disposition: form-data; ${of}\r\n\r\n${text}\r\n`;
    const headers: HeaderPair[] = [['Content-Type', 'multipart/form-data; boundary=cut']];
    const body = `${part('name=sku', 'A-1')}${part('name=scan; filename="a.pdf"', 'A-1')}--cut--`;
    expect(found('body.sku:A-*', { headers, body })).toEqual(['body.sku=A-1']);
    expect(found('has:body.scan a-1', { headers, body })).toEqual(['body.sku=A-1', 'body.scan=a.pdf']);
  });

  test('is left out under NOT, and columns are', () => {
    expect(found('body.id:ord_1 NOT body.id:x type:invoice.* -(body.amount:5 OR has:body.x)', { body: order })).toEqual(
      ['body.id=ord_1'],
    );
    expect(found('NOT body.id:x', { body: order })).toEqual([]);
    expect(found('type:invoice.paid', { body: order })).toEqual([]);
  });

  test('is left out in an alternative that does not match', () => {
    expect(found('(type:other body.id:ord_1) OR body.paid:true', { body: order })).toEqual(['body.paid=true']);
    expect(found('body.id:x OR (type:invoice.paid body.id:ord_1)', { body: order })).toEqual(['body.id=ord_1']);
  });
});

describe('a text', () => {
  test.each([
    ['lovelace', ['body.customer.name=Ada Lovelace']],
    ['1234567', ['body.amount=1234567']],
    ['345', ['body.amount=1234567']],
    ['CAFÉ', ['body.items[].sku=Café-2']],
    ['invoice', ['type=invoice.paid']],
    // Whole values come first, then the order of the document.
    ['a-1', ['body."order.id"=A-1', 'body.items[].sku=A-1']],
    ['"ada@example.com"', ['body.customer."e mail"=ada@example.com']],
    ['order "new order"', ['body.items[].tags[]=new order']],
  ])('%s is shown in its values', (where, expected) =>
    expect(found(where, { body: order }).slice(0, expected.length)).toEqual(expected),
  );

  test('in a key, across values, or in a body without fields is shown in the body', () => {
    expect(found('sku', { body: '{"items":[{"sku":5}]}' })).toEqual(['body={"items":[{"sku":5}]}']);
    expect(found('"\\"a\\": \\"b"', { body: '{"a":"bc"}' })).toEqual(['body={"a":"bc"}']);
    expect(found('"1,\\"b"', { body: '{"a":1,"b":2}' })).toEqual(['body={"a":1,"b":2}']);
    expect(found('world', { body: 'Hello World' })).toEqual(['body=Hello World']);
    expect(found('<id>', { body: '<order><id>5</id></order>' })).toEqual(['body=<order><id>5</id></order>']);
  });

  test('is shown with 80 characters around it', () => {
    const long = `${'é'.repeat(200)}needle${'😀'.repeat(200)}`;
    const around = `${'é'.repeat(37)}needle${'😀'.repeat(37)}`;
    expect(found('needle', { body: JSON.stringify({ a: long }) })).toEqual([`body.a=${around}`]);
    expect(found('needle', { body: long })).toEqual([`body=${around}`]);
    expect(found('needle', { body: JSON.stringify({ a: `needle${'x'.repeat(90)}` }) })).toEqual([
      `body.a=needle${'x'.repeat(74)}`,
    ]);
    const key = `{"${'k'.repeat(50)}":1,"${'n'.repeat(300)}":"${'x'.repeat(300)}"}`;
    expect(found('kkk', { body: key })).toEqual([`body={"${'k'.repeat(50)}":1,"${'n'.repeat(23)}`]);
    expect(found('needle', { body: `{"a":"${'x'.repeat(900_000)}","${'y'.repeat(90)}needle":0}` })).toEqual([
      `body=${'y'.repeat(74)}needle`,
    ]);
  });

  test('that is also in another field is shown at most three times', () => {
    expect(found('x', { body: '{"a":"ax","b":"x","c":"xc","d":"x","x":"xe"}' })).toEqual([
      'body.b=x',
      'body.d=x',
      'body.a=ax',
    ]);
    expect(found('x', { body: '{"a":["x","x","xx"]}' })).toEqual(['body.a[]=x', 'body.a[]=xx']);
  });
});

test('a value that a repeated key replaces is no field', () => {
  expect(found('old', { body: '{"a":"old","a":"new"}' })).toEqual(['body=old']);
  expect(found('body.a:new', { body: '{"a":{"a":"new"},"a":"new"}' })).toEqual(['body.a=new']);
});

test('whole values find the event', () => {
  const { event, filter } = createOddEvents(11);
  let checked = 0;
  for (let i = 0; i < 4000; i++) {
    const { headers, query, body } = event();
    const facts = factsWith({ headers, query, body: new Uint8Array(body) });
    const where = i % 2 ? filter().text : quoted(['5', 'amount', 'a/b', 'PAID', 'é'][i % 5] ?? '');
    const parsed = parseFilter(where);
    if (evaluate(parsed, facts, now) !== true) continue;
    for (const { field, text } of result(findMatches(parsed, facts, now))) {
      // Longer values are cut.
      expect([...text].length).toBeLessThanOrEqual(maxMatchCharacters);
      if (field === 'body' || [...text].length === maxMatchCharacters) continue;
      // A list or an object is shown, but is no value.
      const isContainer = /^has:/.test(where) && /^[[{]/.test(text);
      const again = `${field}:${quoted(text)}`;
      if (!isContainer && matches(again, facts) !== true)
        expect({ where, again, body: body.toString() }).toBe(0 as never);
      checked++;
    }
  }
  expect(checked).toBeGreaterThan(500);
});
