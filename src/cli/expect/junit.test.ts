/* The JUnit file is well-formed XML with any text in it. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { toJunit, xmlText } from './junit.ts';

/** What XML 1.0 allows (section 2.2), without the bytes that terminals obey. */
const forbidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
  /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])/;

const decode = (xml: string): string =>
  xml.replace(
    /&(amp|lt|gt|quot|apos|#10);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" })[name] ?? '\n',
  );

test('any text comes back, with characters that XML forbids as \\uXXXX', () => {
  const unit = fc.oneof(
    fc.constantFrom(...'&<>"\'\n]]>\u0000\u001b\u202e\ud800\ufffe\uffff'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 20 }), parts => {
      const text = parts.join('');
      const xml = xmlText(text);
      const isPlain = /^[\x20-\x7e\n]*$/.test(text);
      const isSafe = !forbidden.test(xml) && !/[<>"']|&(?!(amp|lt|gt|quot|apos|#10);)/.test(xml);
      return isSafe && (!isPlain || decode(xml) === text);
    }),
  );
});

test('a hostile event can end neither an attribute nor an element', () => {
  const hostile = '"></testcase><testcase name="ok"/>]]>\u001b[2J\n--><!--';
  const problem = { kind: 'failure', type: 'not-met', message: hostile, text: hostile } as const;
  const xml = toJunit({ name: hostile, durationMs: 1234.5, problem });
  expect(xml.match(/<\/?[\w!?-]+/g)).toEqual([
    '<?xml',
    '<testsuites',
    '<testsuite',
    '<testcase',
    '<failure',
    '</failure',
    '</testcase',
    '</testsuite',
    '</testsuites',
  ]);
  expect(xml).toContain('tests="1" failures="1" errors="0" time="1.234"');
});
