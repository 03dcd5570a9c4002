import { describe, expect, test } from 'bun:test';
import { FilterError, type Node, termsOf, textOf } from './filter.ts';
import { maxFilterBytes, parseFilter } from './parser.ts';

/** The filter in one line: operators in brackets, values as the parser read them. */
function shown(text: string): string {
  const show = (node: Node): string => {
    if (node.kind === 'not') return `(not ${show(node.node)})`;
    if (node.kind !== 'term') return `(${node.kind} ${node.nodes.map(show).join(' ')})`;
    if (node.on === 'text') return `text<${node.text}>`;
    if (node.on === 'column')
      return `${node.column}${node.operator}<${node.value.text}>${node.value.isQuoted ? 'exact' : ''}`;
    const name =
      node.field === 'body' ? node.path.map(step => ('key' in step ? `.${step.key}` : '[]')).join('') : `.${node.key}`;
    if (node.on === 'has') return `has:${node.field}${name}`;
    return `${node.field}${name}${node.operator}<${node.value.text}>${node.value.isQuoted ? 'exact' : ''}`;
  };
  const { root } = parseFilter(text);
  return root ? show(root) : 'everything';
}

function failure(text: string): { position: number; nearest: string | null; message: string } {
  try {
    parseFilter(text);
  } catch (error) {
    if (error instanceof FilterError)
      return { position: error.position, nearest: error.nearest, message: error.message };
    throw error;
  }
  throw new Error(`${text} is a filter`);
}

describe('parseFilter', () => {
  test.each([
    ['', 'everything'],
    [' \t\n\u00a0', 'everything'],
    ['push', 'text<push>'],
    ['a b', '(and text<a> text<b>)'],
    ['a\u00a0b', '(and text<a> text<b>)'],
    ['a AND b', '(and text<a> text<b>)'],
    ['a OR b', '(or text<a> text<b>)'],
    ['a b OR c d', '(or (and text<a> text<b>) (and text<c> text<d>))'],
    ['a (b OR c) d', '(and text<a> (or text<b> text<c>) text<d>)'],
    ['(a b) (c d)', '(and text<a> text<b> text<c> text<d>)'],
    ['a OR (b OR c)', '(or text<a> text<b> text<c>)'],
    ['NOT a b', '(and (not text<a>) text<b>)'],
    ['NOT a OR b', '(or (not text<a>) text<b>)'],
    ['NOT (a OR b)', '(not (or text<a> text<b>))'],
    ['NOT(a)OR(b)', '(or (not text<a>) text<b>)'],
    ['-a -b', '(and (not text<a>) (not text<b>))'],
    ['-(a b)', '(not (and text<a> text<b>))'],
    ['--a', 'text<a>'],
    ['NOT -a', 'text<a>'],
    ['-NOT NOT a', '(not text<a>)'],
    ['a or b not c and d', '(and text<a> text<or> text<b> text<not> text<c> text<and> text<d>)'],
    ['"OR" "NOT"', '(and text<OR> text<NOT>)'],
    ['ORDER NOTE ANDROID', '(and text<ORDER> text<NOTE> text<ANDROID>)'],
    ['foo-bar', 'text<foo-bar>'],
    ['-"-5"', '(not text<-5>)'],
    ['"a phrase" b', '(and text<a phrase> text<b>)'],
    ['"say \\"hi\\" \\\\ \\n"', 'text<say "hi" \\ \\n>'],
    ['foo*', 'text<foo*>'],
    ['((((((((a))))))))', 'text<a>'],
    ['(a)(b)c', '(and text<a> text<b> text<c>)'],
  ])('reads %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test.each([
    ['type:invoice.*', 'type:<invoice.*>'],
    ['type:"a \\"b\\""', 'type:<a "b">exact'],
    ['type:""', 'type:<>exact'],
    ['type:a:b', 'type:<a:b>'],
    ['platform:Stripe', 'platform:<stripe>'],
    ['method:post', 'method:<POST>'],
    ['path:/orders/*', 'path:</orders/*>'],
    ['path:/orders/', 'path:</orders/>'],
    ['path:"/a b/"', 'path:</a b/>exact'],
    ['verdict:None', 'verdict:<None>'],
    ['tag:golden', 'tag:<golden>'],
    ['is:pinned', 'is:<pinned>'],
    ['ip:2001:db8::/32', 'ip:<2001:db8::/32>'],
    ['header.X-Shop-Domain:acme*', 'header.x-shop-domain:<acme*>'],
    ['header.x.y>=5', 'header.x.y>=<5>'],
    ['header."X Y":1', 'header.x y:<1>'],
    ['query.Page:2', 'query.Page:<2>'],
    ['query.filter[a]:x', 'query.filter[a]:<x>'],
    ['query."a:b":""', 'query.a:b:<>exact'],
    ['body.data.object.amount>1000', 'body.data.object.amount><1000>'],
    ['body.a<=-1.5e+3', 'body.a<=<-1.5e+3>'],
    ['body.a>"10"', 'body.a><10>exact'],
    ['body.items[].sku:"A-1"', 'body.items[].sku:<A-1>exact'],
    ['body.items[0].sku:x', 'body.items.0.sku:<x>'],
    ['body.items.0.sku:x', 'body.items.0.sku:<x>'],
    ['body.a[][3]:x', 'body.a[].3:<x>'],
    ['body[].x:1', 'body[].x:<1>'],
    ['body[]:1', 'body[]:<1>'],
    ['body[7].x:1', 'body.7.x:<1>'],
    ['body."a.b"."c d"[].e:1', 'body.a.b.c d[].e:<1>'],
    ['body."":1', 'body.:<1>'],
    ['body."a\\"b":1', 'body.a"b:<1>'],
    ['body.user[name]:x', 'body.user[name]:<x>'],
    ['body.@type:x', 'body.@type:<x>'],
    ['body.naïve.漢字:x', 'body.naïve.漢字:<x>'],
    ['body.a:b=c', 'body.a:<b=c>'],
    ['body.a:x!=y', 'body.a:<x!=y>'],
    ['body.a:-5', 'body.a:<-5>'],
    ['-body.a:-5', '(not body.a:<-5>)'],
    ['has:body.refund', 'has:body.refund'],
    ['has:header.X-A', 'has:header.x-a'],
    ['has:query."a b"', 'has:query.a b'],
    ['NOT has:body.a[]', '(not has:body.a[])'],
  ])('reads the field %s', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test.each([
    'https://example.com/a?b=c',
    '12:30',
    '2026-11-20T10:00:00Z',
    '<Status>',
    '</a>',
    '<?xml',
    'status=ok',
    '=x',
    'a=>b',
    '{a:1}',
    '@a:b',
    '5>4',
    'a=type:b',
    '/',
    '//',
    '/a/b',
    "it's",
  ])('takes %s for a text', text => {
    expect(shown(text)).toBe(`text<${text}>`);
  });

  test.each<[string, number, string | null, RegExp]>([
    ['😀 "a\ud83d"', 4, null, /incomplete character/],
    ['foo:bar', 0, null, /no field "foo".*quotes/],
    ['tpye:x', 0, 'type', /did you mean type/],
    ['TYPE:x', 0, 'type', /did you mean type/],
    ['a (sizes>5)', 3, 'size', /did you mean size/],
    ['heder.x:1', 0, 'header', /did you mean header/],
    ['bdy[].x:1', 0, 'body', /did you mean body/],
    ['data.object.id:1', 0, null, /body\.data\.object\.id/],
    ['items[].sku:1', 0, null, /body\.items\[\]\.sku/],
    ['x:1', 0, null, /no field/],
    ['😀 é foo:bar', 4, null, /no field/],
    ['header:x', 0, null, /header\.x-shop-domain/],
    ['body>5', 0, null, /body needs a name/],
    ['type:', 5, null, /value is missing/],
    ['a type: b', 7, null, /value is missing/],
    ['size>=', 6, null, /value is missing/],
    ['has:', 4, null, /as in has:body\.refund/],
    ['has:type', 4, null, /as in has:body\.refund/],
    ['has:bdy.x', 4, 'body', /as in has:body\.refund/],
    ['has:body.x:1', 10, null, /without a value/],
    ['has>body.x', 3, null, /":"/],
    ['"abc', 0, null, /not closed/],
    ['a type:"b c', 7, null, /not closed/],
    ['"a\\"', 0, null, /not closed/],
    ['""', 0, null, /quotes are empty/],
    ['"a"b', 3, null, /space is missing/],
    ['type:"a"b', 8, null, /space is missing/],
    ['type:a"b"', 6, null, /whole value in quotes/],
    ['say"hi"', 3, null, /whole text in quotes/],
    ['{"id":5}', 1, null, /whole text in quotes/],
    ['OR a', 0, null, /before OR/],
    ['a OR', 2, null, /after OR/],
    ['a OR OR b', 2, null, /after OR/],
    ['a OR )', 2, null, /after OR/],
    ['AND a', 0, null, /before AND/],
    ['a AND', 2, null, /after AND/],
    ['(OR a)', 1, null, /before OR/],
    ['NOT', 0, null, /after NOT/],
    ['a NOT OR b', 2, null, /after NOT/],
    ['-', 0, null, /after the "-"/],
    ['a - b', 2, null, /after the "-"/],
    ['(-)', 1, null, /after the "-"/],
    ['a --', 3, null, /after the "-"/],
    ['()', 0, null, /parentheses are empty/],
    ['a ()', 2, null, /parentheses are empty/],
    ['(a', 0, null, /not closed/],
    ['(a (b)', 0, null, /not closed/],
    ['(', 0, null, /not closed/],
    ['a)', 1, null, /no matching opening parenthesis/],
    [')', 0, null, /no matching opening parenthesis/],
    ['foo(bar)', 3, null, /parentheses in quotes/],
    ['type:a(b)', 6, null, /parentheses in quotes/],
    ['(((((((((a)))))))))', 8, null, /at most 8/],
    ['type!=x', 4, null, /-type:/],
    ['body.a!=5', 6, null, /-body\.a:/],
    ['foo!=x', 3, null, /"!=" is not supported/],
    ['5!=4', 1, null, /"!=" is not supported/],
    ['type=x', 4, null, /use type:/],
    ['body.a==5', 6, null, /use body\.a:/],
    ['/a.*b/', 0, null, /regular expressions/],
    ['type:/a.*/', 5, null, /regular expressions/],
    ['body.a:/x/', 7, null, /regular expressions/],
    ['type>5', 4, null, /type does not support/],
    ['tag>=a', 3, null, /tag does not support/],
    ['is<pinned', 2, null, /is does not support/],
    ['size >5', 5, null, /field is missing/],
    [':x', 0, null, /field is missing/],
    ['>', 0, null, /field is missing/],
    ['size:>5', 5, null, /can't be combined/],
    ['body.a:>5', 7, null, /can't be combined/],
    ['size>large', 5, null, /number of bytes/],
    ['size>5*', 5, null, /number of bytes/],
    ['attempt:1.5', 8, null, /whole number/],
    ['answered:5x', 9, null, /such as 5xx/],
    ['verdict:good', 8, null, /valid, invalid, unchecked, none/],
    ['is:deleted', 3, null, /pinned, replayed/],
    ['ip:10.*', 3, null, /network/],
    ['ip:10.0.0.0/33', 3, null, /network/],
    ['received:soon', 9, null, /2026-11-20/],
    ['received>2026-02-30', 9, null, /2026-11-20/],
    ['received:2h', 9, null, /received>2h/],
    ['received>2026-11-20..2026-11-21', 9, null, /needs ":"/],
    ['received:2026-11-21..2026-11-20', 9, null, /before it starts/],
    ['received:2026-11-20..soon', 9, null, /before and after/],
    ['received:..', 9, null, /before or after/],
    ['received:1h..2h', 9, null, /before it starts/],
    ['body.a>x', 7, null, /takes a number/],
    ['body.a>2026-11-20', 7, null, /takes a number/],
    ['header.x>1k', 9, null, /takes a number/],
    ['body.:1', 5, null, /key is missing/],
    ['body..a:1', 5, null, /key is missing/],
    ['body.a.:1', 7, null, /key is missing/],
    ['body.a.[]:1', 7, null, /key is missing/],
    ['body."a"b:1', 8, null, /"\." is missing/],
    ['body.a"b":1', 6, null, /"\." is missing/],
    ['body[]a:1', 4, null, /"\." is missing/],
    ['body[x]:1', 4, null, /"\." is missing/],
    ['header.:1', 7, null, /name is missing/],
    ['header."a"b:1', 10, null, /operator is missing/],
    ['query.a"b":1', 7, null, /whole name in quotes/],
  ])('refuses %s at %p', (text, position, nearest, message) => {
    const found = failure(text);
    expect(found).toMatchObject({ position, nearest });
    expect(found.message).toMatch(message);
  });

  test('allows 50 terms, and points at the next', () => {
    const many = Array.from({ length: 50 }, (_, i) => `t${i}`).join(' ');
    expect(termsOf(parseFilter(many).root)).toHaveLength(50);
    expect(failure(`${many} (x)`)).toMatchObject({
      position: many.length + 2,
      message: expect.stringMatching(/at most 50/),
    });
  });

  test('allows 2 KiB, counted in bytes, and points at the first character too many', () => {
    expect(parseFilter('é'.repeat(maxFilterBytes / 2)).root).toBeDefined();
    expect(failure('é'.repeat(maxFilterBytes / 2 + 1))).toMatchObject({ position: maxFilterBytes / 2 });
    expect(failure(`a${'é'.repeat(maxFilterBytes / 2)}`)).toMatchObject({ position: maxFilterBytes / 2 });
    expect(failure('x'.repeat(3_000_000))).toMatchObject({ position: maxFilterBytes });
  });

  test('gives each term the text it was read from', () => {
    const filter = parseFilter('😀 -(type:"a b" OR NOT body.x[]>5)');
    expect(termsOf(filter.root).map(term => textOf(filter, term))).toEqual(['😀', 'type:"a b"', 'body.x[]>5']);
  });

  test.each([
    ['a -(b OR c) NOT type:x (d)', ['a', '-(b OR c)', 'NOT type:x', '(d)']],
    ['a AND NOT NOT b', ['a', 'NOT NOT b']],
    [' a OR b c ', ['a OR b c']],
    ['(a b)', ['(a b)']],
    ['', []],
  ])('splits %j into the parts that must all hold', (text, parts) => {
    const filter = parseFilter(text);
    expect(filter.parts.map(part => textOf(filter, part))).toEqual(parts);
  });
});
