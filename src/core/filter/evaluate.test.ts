import { describe, expect, test } from 'bun:test';
import { textOf } from '../../shared/filter/filter.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { expectMatches, factsWith, matches, now } from '../../testing/filters/facts.ts';
import { decidingTerm, evaluate } from './evaluate.ts';
import { createEventContent } from './event-content.ts';
import type { EventFacts } from './event-facts.ts';

describe('columns', () => {
  test('of an event', () => {
    expectMatches(factsWith(), {
      yes: [
        ...['type:invoice.*', 'type:*', 'type:*i*paid', 'type:"invoice.paid"', 'platform:STRIPE', 'method:post'],
        ...[
          'platform:"Stripe"',
          'platform:S*',
          'path:/orders/*',
          'path:"/orders/5"',
          'verdict:valid',
          'tag:golden',
          'tag:Q*',
        ],
        ...['ip:10.0.0.0/8', 'ip:10.1.2.3', 'ip:::ffff:10.1.2.3', 'size:2k', 'size>=2k', 'size<1M', 'attempt>1'],
        ...['answered:2xx', 'answered:200', 'answered<4xx', 'received>2h', 'received<30m', 'received:2026-11-22'],
        ...['is:pinned', '-is:replayed', '-is:edited', '-is:refused', ''],
      ].filter(where => where !== ''),
      no: [
        ...[
          'type:invoice',
          'type:Invoice.*',
          'type:"invoice.*"',
          'type:paid*',
          'platform:github',
          'method:PUT',
          'path:/Orders/*',
        ],
        ...[
          'verdict:none',
          'tag:Golden',
          'tag:gold',
          'ip:192.168.0.0/16',
          'ip:::1',
          'size>2k',
          'attempt:1',
          'answered:5xx',
        ],
        ...['received>1h', 'received<1h', 'received<2026-11-22', 'is:replayed', 'is:edited', 'is:refused'],
      ],
    });
  });

  test('without a value', () => {
    const facts = factsWith({}, { type: null, platform: null, method: null, answered: null, tags: [], sourceIp: '' });
    expectMatches(facts, {
      yes: [],
      no: ['type:*', 'platform:*', 'method:*', 'answered:200', 'answered<600', 'tag:*', 'ip:0.0.0.0/0', 'ip:::/0'],
    });
  });

  test('an empty filter matches everything', () => {
    expect(evaluate(parseFilter(' '), {}, now)).toBe(true);
    expect(decidingTerm(parseFilter(' '), factsWith(), now)).toBeUndefined();
  });
});

describe('three-valued logic', () => {
  const content = createEventContent({ headers: [], query: 'a=1', body: new TextEncoder().encode('{"x":1}') });
  test.each<[string, Partial<EventFacts>, boolean | undefined]>([
    ['type:a', {}, undefined],
    ['-type:a', {}, undefined],
    ['type:a', { type: null }, false],
    ['-type:a', { type: null }, true],
    ['type:a body.x:1', { type: 'b' }, false],
    ['type:a body.x:1', { type: 'a' }, undefined],
    ['type:a OR body.x:1', { type: 'a' }, true],
    ['type:a OR body.x:1', { type: 'b' }, undefined],
    ['type:a OR body.x:1', { content }, true],
    ['type:a body.x:2', { content }, false],
    ['body.x:1 verdict:valid', { content }, undefined],
    ['body.x:2 verdict:valid', { content }, false],
    ['body.x:2 verdict:valid', { verdict: 'none' }, false],
    ['-(type:a verdict:valid)', { type: 'b' }, true],
    ['paid', { type: 'invoice.paid' }, true],
    ['paid', { type: 'invoice' }, undefined],
    ['"\\"x\\":1"', { content }, true],
    ['paid', { content }, undefined],
    ['paid', { content, type: null }, false],
    ['has:query.a', { content }, true],
    ['has:header.a', {}, undefined],
    ['ip:10.0.0.0/8', {}, undefined],
    ['tag:a', {}, undefined],
    ['tag:a', { tags: [] }, false],
    ['answered:200', { answered: null }, false],
    ['size>1 attempt>1 received>1h is:pinned is:replayed is:edited is:refused', { size: 2 }, undefined],
  ])('%s with %j is %p', (where, facts, expected) => {
    expect(evaluate(parseFilter(where), facts, now)).toBe(expected);
  });
});

describe('decidingTerm', () => {
  test.each([
    ['type:x', 'type:x'],
    ['type:invoice.* size>1M path:/x', 'size>1M'],
    ['size>1M type:x', 'size>1M'],
    ['body.a:2 type:x', 'body.a:2'],
    ['type:invoice.* -is:pinned', 'is:pinned'],
    ['type:invoice.* NOT (is:pinned tag:golden)', 'tag:golden'],
    ['type:x OR size>1M', 'size>1M'],
    ['type:x OR (is:pinned size>1M) OR is:edited', 'is:edited'],
    ['is:pinned (type:x OR "no such")', '"no such"'],
    ['is:pinned type:invoice.*', 'type:invoice.*'],
    ['type:x OR is:pinned OR tag:golden', 'is:pinned'],
    ['-(type:x OR size>1M)', 'size>1M'],
  ])('of %s is %s', (where, expected) => {
    const filter = parseFilter(where);
    const term = decidingTerm(filter, factsWith({ body: '{"a":1}' }), now);
    expect(term && textOf(filter, term)).toBe(expected);
  });
});

describe('hostile input takes linear time', () => {
  const many = 300_000;
  test.each<[string, string, EventFacts]>([
    [
      'a glob of many stars',
      `body.a:${'*a'.repeat(900)}*b`,
      factsWith({ body: JSON.stringify({ a: 'a'.repeat(many) }) }),
    ],
    ['a number of many digits', 'body.a:5', factsWith({ body: `[${'1'.repeat(many)}]` })],
    ['a long exponent', 'body[]<1', factsWith({ body: `[1e${'9'.repeat(many)}]` })],
    ['many repeated keys', 'body.a:1', factsWith({ body: `{${'"a":1,'.repeat(many / 10)}"a":2}` })],
    ['many encoded names', 'has:query.aa', factsWith({ query: '%61&'.repeat(many) })],
    [
      'a boundary of which the body is full',
      'has:body.a',
      factsWith({
        headers: [['content-type', `multipart/form-data; boundary=${'-'.repeat(70)}`]],
        body: '-'.repeat(many * 10),
      }),
    ],
  ])('%s', (_, where, facts) => {
    expect(matches(where, facts)).toBe(false);
  });
});
