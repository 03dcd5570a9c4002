import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { maxHighlightCharacters, maxHighlights } from '../../core/limits.ts';
import { createHighlights, type HighlightsOf } from './highlights.ts';
import type { Platform, PreviewText } from './platform.ts';
import { createPlatformIndex } from './platform-index.ts';

const withPreview = (...preview: PreviewText[]): HighlightsOf => {
  const acme: Platform = {
    name: 'acme',
    title: 'ACME',
    docsUrl: 'https://acme.example',
    detect: [],
    eventType: [],
    preview,
    signatures: [],
    secretHint: null,
  };
  return createHighlights(createPlatformIndex([acme]));
};
const bytes = (body: unknown): Buffer => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
const of = (body: unknown, ...preview: PreviewText[]): string[] =>
  withPreview(...preview)('acme', bytes(body)).highlights;
const unknown = (body: unknown): string[] => withPreview('a')(null, bytes(body)).highlights;

describe('the preview of a row', () => {
  test('shows paths and templates in their order', () => {
    const body = { order: { id: 'o1', lines: [{ sku: 'A' }] }, amount: 2000, currency: 'usd', number: 7 };
    expect(of(body, 'order.id', '{amount} {currency}', '#{number}', 'order.lines.0.sku')).toEqual([
      'o1',
      '2000 usd',
      '#7',
      'A',
    ]);
  });

  test('shows of alternatives the first that is there, and templates only whole', () => {
    expect(of({ b: 'B', c: 'C' }, ['a', 'b', 'c'])).toEqual(['B']);
    expect(of({ amount: 1 }, 'x', ['{amount} {currency}', '{currency}', 'amount'])).toEqual(['1']);
    expect(of({ a: ' ', b: 'B' }, ['a', 'b'], '{a}{b}')).toEqual(['B']);
  });

  test('leaves out what is missing, empty, no text, or said already', () => {
    const body = { a: null, b: '', c: true, d: {}, e: [], f: 'x', g: 'x' };
    expect(of(body, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')).toEqual(['x']);
  });

  test('shows an id only if nothing stands before it', () => {
    const preview = ['{amount} {currency}', ['customerId', 'email'], 'data.id', 'data[uid]', 'shortId', '#{id}'];
    const body = { customerId: 'c1', email: 'ada@example.com', data: { id: 'd1' }, shortId: 'SHOP-1', id: 7 };
    expect(of({ amount: 1, currency: 'EUR', ...body }, ...preview)).toEqual([
      '1 EUR',
      'ada@example.com',
      'SHOP-1',
      '#7',
    ]);
    expect(of(body, ...preview)).toEqual(['c1', 'SHOP-1', '#7']);
    expect(of({ data: { id: 'd1' } }, ...preview)).toEqual(['d1']);
    expect(of('data%5Buid%5D=u1', ...preview)).toEqual(['u1']);
  });

  test('shows four texts at most', () => {
    expect(of({ a: 1, b: 2, c: 3, d: 4, e: 5 }, 'missing', 'a', 'b', 'c', 'd', 'e')).toEqual(['1', '2', '3', '4']);
  });

  test('shows numbers with the digits that were sent', () => {
    expect(of('{"a":12345678901234567890,"b":10.00}', 'a', 'b')).toEqual(['12345678901234567890', '10.00']);
  });

  test('reads forms by the names of their fields', () => {
    const body = 'From=%2B15550001&Body=Hi+there&data%5Bemail%5D=ada%40example.com';
    expect(of(body, 'Body', 'From', 'data[email]')).toEqual(['Hi there', '+15550001', 'ada@example.com']);
  });
});

describe('the action of a delivery', () => {
  const acting = (action: string[], body: unknown): string | null => {
    const row: Platform = {
      name: 'acme',
      title: 'A',
      docsUrl: '',
      detect: [],
      eventType: [],
      action,
      signatures: [],
      secretHint: null,
    };
    return createHighlights(createPlatformIndex([row]))('acme', bytes(body)).action;
  };

  test('is the first of its paths that has a text', () => {
    expect(acting(['a.b', 'c'], { a: {}, c: 'opened' })).toBe('opened');
    expect(acting(['a.b', 'c'], { a: { b: 'x\u202e\ny' }, c: 'opened' })).toBe('x\ufffd y');
  });

  test('is null when the body has none, and for platforms that name none', () => {
    expect(acting(['a'], { a: '' })).toBeNull();
    expect(acting(['a'], 'text')).toBeNull();
    expect(withPreview('a')('acme', bytes({ action: 'x' })).action).toBeNull();
  });

  test('does not hide the well-known fields of a platform without a preview', () => {
    const row: Platform = {
      name: 'acme',
      title: 'A',
      docsUrl: '',
      detect: [],
      eventType: [],
      action: ['a'],
      signatures: [],
      secretHint: null,
    };
    const found = createHighlights(createPlatformIndex([row]))('acme', bytes({ a: 'x', name: 'Ada' }));
    expect(found).toEqual({ highlights: ['Ada'], action: 'x' });
  });
});

describe('a text', () => {
  test('is cut after 60 characters, never inside one', () => {
    expect(of({ a: 'x'.repeat(60) }, 'a')).toEqual(['x'.repeat(60)]);
    expect(of({ a: 'x'.repeat(61) }, 'a')).toEqual([`${'x'.repeat(59)}…`]);
    expect(of({ a: '𝄞'.repeat(61) }, 'a')).toEqual([`${'𝄞'.repeat(59)}…`]);
    expect(of({ a: `${'x'.repeat(58)}\u{1f469}\u200d\u{1f52c}y` }, 'a')).toEqual([`${'x'.repeat(58)}…`]);
    expect(of({ a: `${'x'.repeat(57)}\u{1f1e9}\u{1f1ea}yy` }, 'a')).toEqual([`${'x'.repeat(57)}\u{1f1e9}\u{1f1ea}…`]);
    expect(of({ a: 'y'.repeat(50), b: 'z'.repeat(50) }, '{a} {b}')).toEqual([`${'y'.repeat(50)} ${'z'.repeat(8)}…`]);
  });

  test.each([
    ['a\r\n\tb', 'a b'],
    ['a\u0000b\u001bc', 'a\ufffdb\ufffdc'],
    ['a\u202eb\u2066c', 'a\ufffdb\ufffdc'],
    ['a\u2028b', 'a b'],
    ['\ud800x', '\ufffdx'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ])('%j is %j', (text, shown) => {
    expect(of({ a: text }, 'a')).toEqual([shown]);
  });
});

describe('a sender without a preview', () => {
  test('shows a few well-known fields', () => {
    expect(unknown({ id: 'o1', name: 'Ada', email: 'ada@example.com', status: 'paid' })).toEqual([
      'Ada',
      'ada@example.com',
      'paid',
    ]);
    expect(unknown({ type: 'x', data: { id: 'o1', amount: 5, currency: 'EUR' } })).toEqual(['5 EUR']);
    expect(unknown('email=ada%40example.com&id=1')).toEqual(['ada@example.com']);
  });

  test('shows no id alone, which says less than the body', () => {
    expect(unknown({ id: 'o1', hello: 'world' })).toEqual([]);
  });

  test('is also one whose preview finds nothing', () => {
    expect(of({ name: 'Ada' }, 'missing')).toEqual(['Ada']);
  });

  test.each(['', 'text', '<name>Ada</name>', '\u0000\u0001', '[]', '{', 'name', '--b\r\nname=1'])(
    'shows nothing of %j',
    body => {
      expect(unknown(body)).toEqual([]);
    },
  );
});

describe('a large body', () => {
  test('is read up to 64 KiB', () => {
    const at = (position: number) => `{"x":"${'x'.repeat(position)}","name":"Ada","y":1}`;
    expect(unknown(at(60_000))).toEqual(['Ada']);
    expect(unknown(at(70_000))).toEqual([]);
  });

  test('that is a form is read up to 8 KiB, without the field that is cut', () => {
    expect(unknown(`x=${'x'.repeat(4000)}&name=Ada&email=${'y'.repeat(9000)}`)).toEqual(['Ada']);
  });
});

test('whatever the body, there are at most four short plain texts', () => {
  const highlightsOf = withPreview('a', ['b.0', '{a} {b}'], 'name', 'c', 'd', 'e');
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), fc.constantFrom('\u202e', '\n', '\u0000'));
  const value = fc.oneof(text, fc.integer(), fc.array(text, { maxLength: 2 }), fc.constant(null));
  const json = fc
    .dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'name', 'id'), value)
    .map(object => JSON.stringify(object));
  const form = fc
    .dictionary(fc.constantFrom('a', 'name', 'c'), text)
    .map(fields => new URLSearchParams(fields).toString());
  fc.assert(
    fc.property(fc.oneof(json, form, text), fc.nat(), fc.constantFrom('acme', null, 'other'), (body, cut, platform) => {
      const given = bytes(body);
      for (const part of [given, given.subarray(0, cut % (given.length + 1))]) {
        const found = highlightsOf(platform, part).highlights;
        expect(found.length).toBeLessThanOrEqual(maxHighlights);
        for (const one of found) {
          expect([...one].length).toBeLessThanOrEqual(maxHighlightCharacters);
          expect(one.trim()).not.toBe('');
          expect(one.isWellFormed()).toBe(true);
          expect(one).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
        }
      }
    }),
    { numRuns: 2000 },
  );
});
