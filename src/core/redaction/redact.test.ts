/* What a redaction takes out of an event, and what it leaves. */
import { describe, expect, test } from 'bun:test';
import { deriveRedactionKey, hashOf } from './key.ts';
import type { Redactable, Redaction, RedactionRule } from './model.ts';
import { compileRedaction } from './redact.ts';
import { readRedaction } from './schema.ts';

const key = deriveRedactionKey('a secret of at least 32 characters', 'acc_1');

const eventOf = (given: Partial<Omit<Redactable, 'body'>> & { body?: string | Uint8Array }): Redactable => ({
  path: '/',
  query: null,
  headers: [],
  sourceIp: '203.0.113.9',
  ...given,
  body: typeof given.body === 'object' ? given.body : Buffer.from(given.body ?? ''),
});

function redact(
  rules: RedactionRule[],
  given: Parameters<typeof eventOf>[0],
  options: Partial<Redaction> & { isStored?: boolean } = {},
) {
  const { isStored = false, ...others } = options;
  const result = compileRedaction(readRedaction({ rules, ...others }), key, { isStored })(eventOf(given));
  return { ...result, text: Buffer.from(result.event.body).toString() };
}

const body = (path: string, treatment: RedactionRule['with'] = 'remove'): RedactionRule => ({
  in: 'body',
  path,
  with: treatment,
});

describe('JSON bodies', () => {
  test.each([
    ['email', '{"email":"a"}', '{}'],
    ['email', '{ "email" : "a" , "b" : 1.0 }', '{ "b" : 1.0 }'],
    ['email', '{"b":1.0,\n "email":"a"\n}', '{"b":1.0\n}'],
    ['email', '{"a":1,"email":{"x":[1,2]},"b":2}', '{"a":1,"b":2}'],
    ['email', '{"email":1,"a":1,"email":2,"b":[],"email":null}', '{"a":1,"b":[]}'],
    ['email', '\ufeff{"a":12345678901234567890,"email":1}', '\ufeff{"a":12345678901234567890}'],
    ['email', '{"\\u0065mail":1,"emai\\u006c2":2}', '{"emai\\u006c2":2}'],
    ['customer.email', '{"email":1,"customer":{"email":2,"x":3}}', '{"email":1,"customer":{"x":3}}'],
    ['items[].card', '{"items":[{"card":1},{"b":2},{"card":3}]}', '{"items":[{},{"b":2},{}]}'],
    ['items[]', '{"items":[1,"x",[2]]}', '{"items":[null,null,null]}'],
    ['items[1]', '{"items":[1,"x",[2]]}', '{"items":[1,null,[2]]}'],
    ['items.1.a', '{"items":[{"a":1},{"a":2}]}', '{"items":[{"a":1},{}]}'],
    ['[].x', '[{"x":1,"y":2}, {"x":3}]', '[{"y":2}, {}]'],
    ['"order.id"', '{"order.id":1,"order":{"id":2}}', '{"order":{"id":2}}'],
    ['*.email', '{"email":1,"a":[{"b":{"email":2}}],"c":3}', '{"a":[{"b":{}}],"c":3}'],
    ['*.customer.email', '{"x":{"customer":{"email":1}},"email":2}', '{"x":{"customer":{}},"email":2}'],
    ['Email', '{"email":1}', '{"email":1}'],
    ['"__proto__"', '{"__proto__":1,"a":2}', '{"a":2}'],
  ])('%p is removed from %p', (path, before, after) => {
    expect(redact([body(path)], { body: before }).text).toBe(after);
  });

  test.each([
    ['"4242424242424242"', '"****4242"'],
    ['"1234567"', '"****"'],
    ['"12345678"', '"****5678"'],
    ['12345678.50', '"****8.50"'],
    ['true', '"****"'],
    ['null', '"****"'],
    ['{"a":"secret-secret"}', '"****"'],
    ['["secret-secret"]', '"****"'],
    ['"1234567\\ud83d\\ude00"', '"****567😀"'],
    ['"12345\\"\\\\\\n7"', '"****\\"\\\\\\n7"'],
    ['"1234567\\ud800"', '"****567\\ud800"'],
  ])('the mask of %p is %p', (before, after) => {
    expect(redact([body('a', 'mask')], { body: `{"a": ${before} , "b":1}` }).text).toBe(`{"a": ${after} , "b":1}`);
  });

  test('equal values have equal hashes, however they are written', () => {
    const { text } = redact([body('*.a', 'hash')], {
      body: '[{"a":"jo@x.de"},{"a":"\\u006ao@x.de"},{"a":5},{"a":"5"},{"a":5.0},{"a":[1, 2]}]',
    });
    const [one, two, three, four, five, six] = (JSON.parse(text) as { a: string }[]).map(({ a }) => a);
    expect(one).toBe(hashOf(key, 'jo@x.de'));
    expect(one).toMatch(/^hash_[A-Za-z0-9_-]{16}$/);
    expect(two).toBe(String(one));
    expect(three).toBe(String(four));
    expect(five).toBe(hashOf(key, '5.0'));
    expect(six).toBe(hashOf(key, '[1, 2]'));
  });

  test('another team has other hashes', () => {
    const secret = 'a secret of at least 32 characters';
    expect(hashOf(deriveRedactionKey(secret, 'acc_2'), 'x')).not.toBe(hashOf(key, 'x'));
    expect(hashOf(deriveRedactionKey(secret, 'acc_1'), 'x')).toBe(hashOf(key, 'x'));
  });

  test('the first rule for a value counts, and an outer value hides the inner ones', () => {
    const { text, redacted } = redact([body('a.b', 'mask'), body('a.b'), body('c', 'hash'), body('c.d')], {
      body: '{"a":{"b":1},"c":{"d":2}}',
    });
    expect(text).toBe(`{"a":{"b":"****"},"c":"${hashOf(key, '{"d":2}')}"}`);
    expect(redacted).toEqual({ rules: 2, fields: ['body.a.b', 'body.c'], sha256: null });
  });

  test('fields are named as a filter writes them', () => {
    const { redacted } = redact([body('*.x'), body('"a b".c'), body('l[]')], {
      body: '{"a":[{"x":1},{"x":2}],"a b":{"c":1},"l":[1,2]}',
    });
    expect(redacted).toEqual({ rules: 3, fields: ['body.a[].x', 'body."a b".c', 'body.l[]'], sha256: null });
  });

  test('the hash of the original body is kept on request', () => {
    const given = { body: '{"a":1}' };
    const sha256 = new Bun.CryptoHasher('sha256').update('{"a":1}').digest('hex');
    expect(redact([body('a')], given, { originalHash: 'keep' }).redacted?.sha256).toBe(sha256);
    expect(redact([body('b')], given, { originalHash: 'keep' }).redacted).toBeNull();
  });

  test('an event from which nothing is taken is returned as it is', () => {
    const event = eventOf({ body: '{"b":[null]}', query: 'a=1', headers: [['X-A', '1']] });
    const redaction = readRedaction({ rules: [body('a'), body('b[]'), { detect: 'card', with: 'mask' }] });
    const result = compileRedaction(redaction, key)(event);
    expect(result.redacted).toBeNull();
    expect(result.event).toBe(event);
  });
});

describe('other bodies', () => {
  const rules = [body('a')];
  test.each([
    ['text', 'hello a=b'],
    ['XML', '<a b="c">x</a>'],
    ['broken JSON', '{"a":1'],
    ['two JSON texts', '{"a":1}\n{"a":2}'],
    ['JSON of 1,001 levels', `${'['.repeat(1001)}${']'.repeat(1001)}`],
    ['JSON that is not UTF-8', Buffer.from('{"a":"\xff"}', 'latin1')],
    ['base64', 'YWJjZA=='],
    ['bytes', Buffer.from([0x1f, 0x8b, 8, 0, 0x61, 0x3d, 0x62])],
  ])('%s is dropped or kept', (_, given) => {
    const dropped = redact(rules, { body: given });
    expect(dropped.text).toBe('');
    expect(dropped.redacted).toEqual({ rules: 0, fields: ['body'], sha256: null });
    const kept = redact(rules, { body: given }, { otherBodies: 'keep' });
    expect(Buffer.from(kept.event.body)).toEqual(Buffer.from(given as string));
    expect(kept.redacted).toBeNull();
  });

  test('JSON of 1,000 levels is read', () => {
    const { text } = redact([body('*.a')], { body: `${'['.repeat(999)}{"a":1,"b":2}${']'.repeat(999)}` });
    expect(text).toBe(`${'['.repeat(999)}{"b":2}${']'.repeat(999)}`);
  });

  test('without rules, nothing is dropped', () => {
    expect(redact([], { body: 'text' }).redacted).toBeNull();
  });

  test('a text that is kept loses what is detected in it', () => {
    const { text } = redact(
      [{ detect: 'email', with: 'remove' }],
      { body: 'mail jo@x.de now' },
      { otherBodies: 'keep' },
    );
    expect(text).toBe('mail [removed] now');
  });

  test('a body that would grow too much is dropped', () => {
    const { text, redacted } = redact([body('[]', 'hash')], { body: `[${'1,'.repeat(200_000)}1]` });
    expect(text).toBe('');
    expect(redacted).toEqual({ rules: 1, fields: ['body[]', 'body'], sha256: null });
  });
});

describe('forms, queries and headers', () => {
  const form = { headers: [['Content-Type', 'application/x-www-form-urlencoded']] as const };

  test.each([
    ['email', 'remove', 'a=1&email=x&b=2', 'a=1&b=2'],
    ['email', 'remove', 'email=x&b=2', 'b=2'],
    ['email', 'remove', 'a=1&email=x', 'a=1'],
    ['email', 'remove', 'email=x&email=y', ''],
    ['email', 'remove', 'email=x&&e%6dail=y&b=%zz+', '&b=%zz+'],
    ['a b', 'remove', 'a+b=1&a%20b=2&c=3', 'c=3'],
    ['email', 'mask', 'email=jo%2Bab%40x.de&b=2', 'email=****x.de&b=2'],
    ['email', 'mask', 'email=1234567%26+%C3%A9&b=2', 'email=****7%26%20%C3%A9&b=2'],
    ['email', 'mask', 'email&b=2', 'email=****&b=2'],
    ['user[email]', 'mask', 'user[email]=a&user%5Bemail%5D=b', 'user[email]=****&user%5Bemail%5D=****'],
    ['*.email', 'remove', 'email=1&user[email]=2&user[email][0]=3&x.email=4&emails=5', 'emails=5'],
  ] as const)('the form field %p: %s of %p', (path, treatment, before, after) => {
    expect(redact([body(path, treatment)], { ...form, body: before }).text).toBe(after);
    expect(redact([body(path, treatment)], { body: before === 'email&b=2' ? 'email=&b=2' : before }).text).toBe(after);
  });

  test('the hash of a form field is that of its value', () => {
    const { text, redacted } = redact([body('email', 'hash')], { body: 'email=jo%40x.de' });
    expect(text).toBe(`email=${hashOf(key, 'jo@x.de')}`);
    expect(redacted?.fields).toEqual(['body.email']);
  });

  test('query parameters are matched by their decoded names', () => {
    const { event, redacted } = redact(
      [
        { in: 'query', path: 'tok en', with: 'remove' },
        { in: 'query', path: 'id', with: 'mask' },
      ],
      { query: 'tok%20en=1&a=%7E&tok+en=2&id=1234567890' },
    );
    expect(event.query).toBe('a=%7E&id=****7890');
    expect(redacted).toEqual({ rules: 2, fields: ['query."tok en"', 'query.id'], sha256: null });
  });

  test('header names are matched in any case, and every line counts', () => {
    const { event, redacted } = redact(
      [
        { in: 'header', path: 'X-Customer', with: 'remove' },
        { in: 'header', path: '"x-user"', with: 'hash' },
        { in: 'header', path: 'Authorization', with: 'mask' },
      ],
      {
        headers: [
          ['x-CUSTOMER', '1'],
          ['Authorization', '[redacted]'],
          ['X-User', 'jo'],
          ['X-Customer', '2'],
          ['Content-Length', '0'],
        ],
      },
    );
    expect(event.headers).toEqual([
      ['Authorization', '[redacted]'],
      ['X-User', hashOf(key, 'jo')],
      ['Content-Length', '0'],
    ]);
    expect(redacted).toEqual({ rules: 2, fields: ['header.x-customer', 'header.x-user'], sha256: null });
  });
});

describe('detection', () => {
  const card: RedactionRule = { detect: 'card', with: 'mask' };
  const email: RedactionRule = { detect: 'email', with: 'remove' };
  const ip: RedactionRule = { detect: 'ip', with: 'remove' };

  test.each([
    ['"pay 4111 1111 1111 1111 now"', '"pay ****1111 now"'],
    ['"4111-1111-1111-1111"', '"****1111"'],
    ['"378282246310005,6011111111111117"', '"****0005,****1117"'],
    ['"4111111111111112"', '"4111111111111112"'],
    ['"141111111111111111111"', '"141111111111111111111"'],
    ['"4111  1111 1111 1111"', '"4111  1111 1111 1111"'],
    ['"0.4111111111111111"', '"0.4111111111111111"'],
    ['"Ends with 4111111111111111."', '"Ends with ****1111."'],
    ['"card 4111111111111111 12/28"', '"card ****1111 12/28"'],
    ['"\\u0034111111111111111"', '"****1111"'],
    ['4111111111111111', '"****1111"'],
    ['-4111111111111111', '"-****1111"'],
    ['4111111111111111.5', '4111111111111111.5'],
    ['"{\\"card\\":\\"\\\\u0034111111111111111\\"}"', '"{\\"card\\":\\"****1111\\"}"'],
  ])('cards in %p: %p', (before, after) => {
    expect(redact([card], { body: `{"x":[${before}]}` }).text).toBe(`{"x":[${after}]}`);
  });

  test.each([
    ['mail jo.o+tag@sub.example.co.uk, now', 'mail [removed], now'],
    ['<jo@x.de>', '<[removed]>'],
    ['jo@x.de.', '[removed].'],
    ["'jo@x.de'", "'[removed]'"],
    ["o'brien@x.ie", '[removed]'],
    ['https://x.de/?e=jo@x.de&f=jo%40x.de', 'https://x.de/?e=[removed]&f=[removed]'],
    ['{\\"e\\":\\"\\\\njo\\\\u0040x.de\\"}', '{\\"e\\":\\"\\\\n[removed]\\"}'],
    ['a%3Djo@x.de', 'a%3D[removed]'],
    ['jörg@exämple.de、more', '[removed]、more'],
    ['“jo@x.de”', '“[removed]”'],
    ['lodash@4.17.21', 'lodash@4.17.21'],
    ['@x.de jo@ jo@localhost', '@x.de jo@ jo@localhost'],
  ])('email addresses in %p: %p', (before, after) => {
    expect(redact([email], { body: `{"x":"${before}"}` }).text).toBe(`{"x":"${after}"}`);
  });

  test.each([
    ['from 10.0.0.1:8080', 'from [removed]:8080'],
    ['[2001:db8::1]:80', '[[removed]]:80'],
    ['::1, ::ffff:10.0.0.1.', '[removed], [removed].'],
    ['10.0.0.0/8 ip:1.2.3.4', '[removed]/8 ip:[removed]'],
    [
      '1.2.3.4.5 999.1.1.1 12:30:45 v1.2.3.4 a::b::c std::x ::',
      '1.2.3.4.5 999.1.1.1 12:30:45 v1.2.3.4 a::b::c std::x ::',
    ],
    ['aa:bb:cc:dd:ee:ff', 'aa:bb:cc:dd:ee:ff'],
  ])('IP addresses in %p: %p', (before, after) => {
    expect(redact([ip], { body: `{"x":"${before}"}` }).text).toBe(`{"x":"${after}"}`);
  });

  test('all values of header, query and form, and the path', () => {
    const { event, text, redacted } = redact([email, card, ip], {
      path: '/users/jo%40x.de/4111111111111111',
      query: 'e=jo+tag@x.de&c=4111+1111+1111+1111&f=%6ao%40x.de&jo@x.de=1',
      headers: [
        ['X-Mail', 'Jo <jo@x.de>'],
        ['X-Ip', '10.0.0.1'],
      ],
      body: 'payload=%7B%22mail%22%3A%22jo%5Cu0040x.de%22%2C%22n%22%3A1%7D&a=b',
    });
    expect(event.path).toBe('/users/[removed]/****1111');
    expect(event.query).toBe('e=[removed]&c=****1111&f=[removed]&jo@x.de=1');
    expect(event.headers).toEqual([
      ['X-Mail', 'Jo <[removed]>'],
      ['X-Ip', '[removed]'],
    ]);
    expect(text).toBe('payload=%7B%22mail%22%3A%22[removed]%22%2C%22n%22%3A1%7D&a=b');
    expect(event.sourceIp).toBe('');
    expect(redacted).toEqual({
      rules: 3,
      fields: ['path', 'query.e', 'query.c', 'query.f', 'header.x-mail', 'header.x-ip', 'body.payload', 'ip'],
      sha256: null,
    });
  });

  test('the hash of a hit is that of what it stands for', () => {
    const hash: RedactionRule = { detect: 'email', with: 'hash' };
    expect(redact([hash], { query: 'e=jo%40x.de', path: '/jo@x.de' }).event).toMatchObject({
      query: `e=${hashOf(key, 'jo@x.de')}`,
      path: `/${hashOf(key, 'jo@x.de')}`,
    });
  });

  test('keys stay, and paths come first', () => {
    const { text } = redact([email, body('a', 'mask')], { body: '{"jo@x.de":1,"a":"jo@xy.de","b":"jo@xy.de"}' });
    expect(text).toBe('{"jo@x.de":1,"a":"****y.de","b":"[removed]"}');
  });
});

test('redacting a stored event again changes nothing', () => {
  const rules: RedactionRule[] = [
    body('a', 'hash'),
    body('b', 'mask'),
    body('l[]'),
    { in: 'query', path: 'q', with: 'hash' },
    { in: 'header', path: 'x', with: 'hash' },
    { detect: 'email', with: 'remove' },
    { detect: 'ip', with: 'hash' },
  ];
  const first = redact(rules, {
    body: '{"a":"x","b":"123456789","l":[1],"c":"jo@x.de 1.2.3.4"}',
    query: 'q=1',
    headers: [['X', '1']],
  });
  expect(first.redacted?.rules).toBe(7);
  const again = redact(rules, first.event, { isStored: true });
  expect(again.redacted).toBeNull();
});

test('a preview gets each change with the value before and after it', () => {
  const rules: RedactionRule[] = [body('a'), body('b', 'mask'), { detect: 'email', with: 'remove' }];
  const changes: object[] = [];
  compileRedaction(readRedaction({ rules }), key)(
    eventOf({ body: `{"a":{"x":1},"b":"${'é'.repeat(600)}","c":["x jo@x.de"]}`, path: '/jo%40x.de' }),
    change => changes.push(change),
  );
  expect(changes).toEqual([
    { field: 'path', before: 'jo@x.de', after: '[removed]' },
    { field: 'body.a', before: '{"x":1}', after: null },
    { field: 'body.b', before: `${'é'.repeat(500)}…`, after: '****éééé' },
    { field: 'body.c[]', before: 'jo@x.de', after: '[removed]' },
  ]);
});

test('a pair without an equals sign is a value', () => {
  const { event, redacted } = redact([{ detect: 'email', with: 'remove' }], { query: 'a&ada%40example.org&b=1' });
  expect(event.query).toBe('a&[removed]&b=1');
  expect(redacted?.fields).toEqual(['query.""']);
});
