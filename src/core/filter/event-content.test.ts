import { describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { expectMatches, factsWith, matches } from '../../testing/filters/facts.ts';
import type { HeaderPair } from '../headers.ts';
import type { EventFacts } from './event-facts.ts';

describe('headers and query', () => {
  const facts = factsWith({
    headers: [
      ['X-Shop-Domain', 'acme.example'],
      ['x-try', '3'],
      ['X-TRY', 'many'],
      ['x-empty', ''],
      ['x-number', '1e3'],
      ['x.y', 'z'],
    ],
    query:
      'page=2&page=30&a%5Bb%5D=x+y%26&a.b=1&e=&flag&%C3%A9=%E2%9C%93&bad=%zz&raw=%ff&p%61ir=a=b&Page=9&huge=9007199254740993',
  });
  test('any of several', () => {
    expectMatches(facts, {
      yes: [
        ...['header.x-shop-domain:acme*', 'header.X-SHOP-DOMAIN:acme.example', 'header.x-try:3', 'header.x-try:m*'],
        ...[
          'header.x-try>2',
          'header.x-number:1e3',
          'header.x-number>=1000',
          'has:header.x-empty',
          'header.x-empty:""',
        ],
        ...[
          'header.x-empty:*',
          'header.x.y:z',
          'query.page:2',
          'query.page>29',
          'query.a[b]:"x y&"',
          'query."a[b]":x*',
        ],
        ...['query.a.b:1', 'has:query.e', 'query.e:""', 'has:query.flag', 'query.flag:*', 'query.é:✓', 'query.bad:%zz'],
        ...['query.raw:\ufffd', 'query.pair:a=b', 'query.Page:9', 'query.huge>9007199254740992'],
      ],
      no: [
        ...['header.x-shop-domain:acme', 'header.x-shop:*', 'header.x-try:', 'header.x-try>3', 'header.x-number:1000'],
        ...[
          'query.page:3',
          'query.page>30',
          'query.page:02',
          'query.a[b]:x',
          'query.PAGE:*',
          'query.e>=0',
          'query.b:1',
        ],
        ...['query.huge>9007199254740993', 'has:query.pag', 'has:header.x', 'has:query.""'],
      ].filter(where => !where.endsWith(':')),
    });
  });

  test('an event without a query has no parameters', () => {
    expectMatches(factsWith({ query: null }), { yes: [], no: ['has:query.page', 'has:query.null', 'has:query.""'] });
    expectMatches(factsWith({ query: new TextEncoder().encode('a=%41') }), { yes: ['query.a:A'], no: ['query.b:A'] });
  });
});

describe('JSON bodies', () => {
  test('values of all kinds', () => {
    const body = `\ufeff {"n": 10.0, "s": "10", "t": true, "f": false, "z": null, "e": "", "o": {}, "l": [],
      "big": 12345678901234567890123, "tiny": 1e-999999999, "huge": 1e999999999, "minus": -0,
      "text": "a\\u0041\\"\\\\\\n\\ud83d\\ude00", "k\\u0065y": 1, "a.b": {"c d": 1, "": 2, "\\"": 3}, "漢字": "ö",
      "back\\\\slash": 1, "true": "false"}`;
    expectMatches(factsWith({ body }), {
      yes: [
        ...[
          'body.n:10',
          'body.n:10.0',
          'body.n:1e1',
          'body.n:+10',
          'body.n:"10.0"',
          'body.n:1*',
          'body.n>9',
          'body.n<=10',
        ],
        ...['body.s:10', 'body.s:"10"', 'body.t:true', 'body.t:"true"', 'body.f:false', 'body.z:null', 'body.t:t*'],
        ...[
          'has:body.z',
          'has:body.e',
          'has:body.o',
          'has:body.l',
          'body.e:""',
          'body.e:*',
          'body.minus:0',
          'body.minus>=0',
        ],
        ...['body.big>12345678901234567890122', 'body.big:12345678901234567890123', 'body.huge>1e999999998'],
        ...['body.tiny>0', 'body.tiny<1e-999999998', 'body.text:"aA\\"\\\\\n😀"', 'body.text:a*😀', 'body.key:1'],
        ...[
          'body."a.b"."c d":1',
          'body."a.b"."":2',
          'body."a.b"."\\"":3',
          'body.漢字:ö',
          'body.back\\slash:1',
          'body.true:false',
        ],
      ],
      no: [
        ...[
          'body.n:"10"',
          'body.n:100',
          'body.n>10',
          'body.s>9',
          'body.s>=0',
          'body.t:True',
          'body.t:1',
          'body.f:null',
        ],
        ...[
          'body.e>=0',
          'body.z>=0',
          'body.t>0',
          'body.o:*',
          'body.l:*',
          'has:body.l[]',
          'has:body.l.length',
          'has:body.o.x',
        ],
        ...[
          'body.big>12345678901234567890123',
          'body.big:12345678901234567890122',
          'has:body.a.b',
          'has:body.N',
          'body.x:*',
        ],
        ...[
          'has:body.s.length',
          'has:body.s[]',
          'has:body.__proto__',
          'has:body.constructor',
          'has:body[]',
          'has:body.o[]',
        ],
      ],
    });
  });

  test('lists', () => {
    const body = '{"l":[1,[2,[3]],{"sku":"A-1","n":[5,6]},{"sku":"B"},"x"],"0":"zero","m":{"0":"key"}}';
    expectMatches(factsWith({ body }), {
      yes: [
        ...['body.l[]:1', 'body.l[]:x', 'body.l[].sku:"A-1"', 'body.l[].sku:B', 'body.l[].n[]>5', 'body.l[][]:2'],
        ...['body.l[][][]:3', 'body.l[0]:1', 'body.l.0:1', 'body.l[2].sku:A*', 'body.l.1.1.0:3', 'has:body.l[]'],
        ...['body.0:zero', 'body[0]:zero', 'body.m[0]:key', 'body.l[4]:x', 'body.l[].sku:B body.l[].sku:A-1'],
      ],
      no: [
        ...[
          'body.l:1',
          'body.l[]:3',
          'body.l[5]:*',
          'has:body.l[5]',
          'has:body.l[00]',
          'body.l[].n:5',
          'has:body.l[9999999999]',
        ],
        ...['has:body.l[].sku[]', 'body.l[].sku:C', 'body.l.sku:B', 'has:body.m[]', 'has:body.l.-1'],
      ],
    });
    expectMatches(factsWith({ body: '[{"x":1},{"x":2,"y":[]}]' }), {
      yes: ['body[].x:2', 'body[1].x:2', 'has:body[]', 'has:body[].y'],
      no: ['body.x:1', 'body[0].x:2', 'has:body[].y[]', 'has:body[][]'],
    });
  });

  test('of repeated keys the last counts', () => {
    const body = '{"a":{"b":1,"c":[1,2]},"x":[{"y":1,"y":2}],"\\u0061":{"b":2,"b":3,"c":[3]},"d":1,"d":{}}';
    expectMatches(factsWith({ body }), {
      yes: ['body.a.b:3', 'body.a.c[]:3', 'body.x[].y:2', 'has:body.d', 'body.a.b>2 body.a.c[]:3'],
      no: ['body.a.b:1', 'body.a.b:2', 'body.a.c[]:1', 'body.a.c[]:2', 'body.x[].y:1', 'body.d:1'],
    });
  });

  test.each<[string, string | Uint8Array]>([
    ['empty', ''],
    ['cut off', '{"a":1'],
    ['with more after it', '{"a":1}x'],
    ['with a trailing comma', '{"a":1,}'],
    ['in single quotes', "{'a':1}"],
    ['a line of several', '{"a":1}\n{"a":1}'],
    ['a number', '1'],
    ['a text', '"a"'],
    [
      'not UTF-8',
      new Uint8Array([...new TextEncoder().encode('{"a":1,"b":"'), 0xff, ...new TextEncoder().encode('"}')]),
    ],
    ['compressed', gzipSync('{"a":1}')],
  ])('a body that is %s has no fields', (_, body) => {
    expectMatches(factsWith({ body }), { yes: [], no: ['has:body.a', 'has:body[]', 'body.a:1', 'has:body.""'] });
  });

  test('is JSON whatever its content type', () => {
    const headers: HeaderPair[] = [['content-type', 'application/x-www-form-urlencoded']];
    expect(matches('body.a:1', factsWith({ headers, body: '{"a":1}' }))).toBe(true);
  });

  test('of any depth are read without recursion', () => {
    const depth = 200_000;
    const body = `{"a":1,"deep":${'['.repeat(depth)}${']'.repeat(depth)},"b":${'{"b":'.repeat(depth)}1${'}'.repeat(depth)}}`;
    const path = `body.${Array.from({ length: 900 }, () => 'b').join('.')}`;
    expectMatches(factsWith({ body }), {
      yes: ['body.a:1', `has:body.deep${'[]'.repeat(900)}`, `has:${path}`],
      no: [`${path}:1`, 'body.c:1'],
    });
  });
});

describe('forms', () => {
  const form = (body: string | Uint8Array, type: string, ...more: HeaderPair[]): EventFacts =>
    factsWith({ headers: [['Content-Type', type], ...more], body });

  test('urlencoded', () => {
    const body =
      'a=1&b%5B%5D=2&b%5B%5D=30&user[name]=J+D&empty=&x.y=dot&n=%2B1.5&l[0][id]=7&payload=%7B%22a%22%3A1%7D&ü=é';
    expectMatches(form(body, 'application/x-www-form-urlencoded; charset=utf-8'), {
      yes: [
        ...[
          'body.a:1',
          'body.a>0',
          'body.b[]:2',
          'body.b[]>29',
          'body."b[]":30',
          'body.user[name]:"J D"',
          'has:body.empty',
        ],
        ...[
          'body.x.y:dot',
          'body."x.y":dot',
          'body.n>1',
          'body.n:+1.5',
          'body.l[0][id]:7',
          'body.payload:{*}',
          'body.a[]:1',
          'body.ü:é',
        ],
      ],
      no: ['body.b:2', 'body.a:1.0', 'has:body.user', 'has:body.x', 'body.empty>=0', 'body.payload.a:1', 'body.a:null'],
    });
  });

  test('multipart', () => {
    const body = [
      '--X',
      'Content-Disposition: form-data; name="note"',
      '',
      'two\r\nlines',
      '--X',
      'Content-Disposition: form-data; name="n[]"',
      '',
      '41',
      '--X',
      'Content-Disposition: form-data; name="file"; filename="a.txt"',
      'Content-Type: text/plain',
      '',
      'secret',
      '--X--',
      '',
    ].join('\r\n');
    expectMatches(form(body, 'multipart/form-data; boundary=X'), {
      yes: ['body.note:"two\r\nlines"', 'body.note:two*', 'body.n[]>40', 'has:body.file'],
      no: ['body.file:secret', 'body.file:*', 'has:body.n', 'body.note:two', 'has:body.filename'],
    });
    expectMatches(form(body, `multipart/form-data; boundary=${'X'.repeat(71)}`), { yes: [], no: ['has:body.note'] });
    expectMatches(form(body, 'text/plain'), { yes: [], no: ['has:body.note'] });
  });

  test('that are compressed have no fields', () => {
    const type = 'application/x-www-form-urlencoded';
    expectMatches(form('a=1', type, ['Content-Encoding', 'br']), { yes: [], no: ['body.a:1'] });
    expectMatches(form('a=1', type, ['Content-Encoding', 'identity']), { yes: ['body.a:1'], no: [] });
    expectMatches(form('a=1', 'application/x-www-form-urlencoded-not'), { yes: [], no: ['body.a:1'] });
  });
});

describe('texts', () => {
  test('mean what q means', () => {
    expectMatches(factsWith({ body: '{"note":"Caf\\u00e9 \\"Q\\" ünï","path":"a\\/b"}' }), {
      yes: ['PAID', 'note', '"CAFÉ"', '"\\"q\\" ÜNÏ"', 'a/b', '"a\\/b"', '"caf\\u00E9"', '"note\\":"', 'note cafÉ'],
      no: ['stripe', 'orders', 'n*te', 'golden', '"note cafe"'],
    });
    expectMatches(factsWith({ body: gzipSync('note') }, { type: null }), { yes: [], no: ['note', 'invoice'] });
  });
});
