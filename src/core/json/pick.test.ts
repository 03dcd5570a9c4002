import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createPathTree, pickJson } from './pick.ts';

const pick = (text: string | Uint8Array, ...paths: string[]): (string | undefined)[] =>
  pickJson(Buffer.from(text), createPathTree(paths), paths.length);

describe('pickJson', () => {
  test('finds texts and numbers by keys and list indexes, in the order of the paths', () => {
    const text = ' {"b":{"c":[{"d":"x"},{"d":12.50}],"e":"\\u00e9\\n"},"a":"1","f":12345678901234567890}';
    expect(pick(text, 'b.c.1.d', 'a', 'b.c.0.d', 'b.e', 'f')).toEqual([
      '12.50',
      '1',
      'x',
      'é\n',
      '12345678901234567890',
    ]);
    expect(pick('[{"a":1},{"a":2}]', '1.a')).toEqual(['2']);
    expect(pick('\ufeff{"a":"b"}', 'a')).toEqual(['b']);
  });

  test('finds a value and what is below another value of the same key', () => {
    expect(pick('{"a":"x"}', 'a', 'a.b')).toEqual(['x', undefined]);
    expect(pick('{"a":{"b":"y"}}', 'a', 'a.b')).toEqual([undefined, 'y']);
  });

  test.each(['true', 'null', '{}', '[]', '{"b":1}', '["b"]', '-', 'x'])('%s is no text', value => {
    expect(pick(`{"a":${value},"z":1}`, 'a', 'z')[0]).toBeUndefined();
  });

  test('takes the first of repeated keys, and no key for a part of it', () => {
    expect(pick('{"ab":1,"a":2,"a":3,"\\u0061":4}', 'a')).toEqual(['2']);
    expect(pick('{"__proto__":{"a":1}}', 'a')).toEqual([undefined]);
  });

  test('finds what comes before the end of cut JSON, and no half values', () => {
    const text = '{"a":"1","b":{"c":"22","d":33},"e":"é"}';
    const whole = pick(text, 'a', 'b.c', 'b.d', 'e');
    const bytes = Buffer.from(text);
    for (let end = 0; end < bytes.length; end++)
      pick(bytes.subarray(0, end), 'a', 'b.c', 'b.d', 'e').forEach((value, i) => {
        expect([value, undefined]).toContain(value === undefined ? undefined : whole[i]);
      });
    expect(pick(bytes.subarray(0, 28), 'a', 'b.c', 'b.d')).toEqual(['1', '22', undefined]);
  });

  test('cuts long texts between characters and between escapes', () => {
    for (let n = 0; n < 12; n++) {
      for (const unit of ['é', '𝄞', '\\u00e9', '\\n', '\\\\', '\\ud834\\udd1e']) {
        const text = `${'x'.repeat(n)}${unit.repeat(1000)}`;
        const [found = ''] = pick(`{"a":"${text}"}`, 'a');
        expect((JSON.parse(`"${text}"`) as string).startsWith(found)).toBe(true);
        expect(found.length).toBeGreaterThan(160);
        expect(Buffer.byteLength(found)).toBeLessThanOrEqual(1024);
      }
    }
  });

  test('agrees with JSON.parse', () => {
    const scalar = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.integer(), fc.constantFrom(true, null));
    const tree = fc.letrec(tie => ({
      value: fc.oneof({ depthSize: 'small' }, scalar, tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 3 }),
      object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    }));
    const step = fc.constantFrom('a', 'b', 'c', '0', '1');
    const paths = fc.uniqueArray(
      fc.array(step, { minLength: 1, maxLength: 3 }).map(steps => steps.join('.')),
      { minLength: 1, maxLength: 6 },
    );
    const valueAt = (value: unknown, path: string): unknown =>
      path
        .split('.')
        .reduce<unknown>(
          (here, key) =>
            Object.hasOwn(Object(here), key) && typeof here === 'object'
              ? (here as Record<string, unknown>)[key]
              : undefined,
          value,
        );
    fc.assert(
      fc.property(fc.oneof(tree.object, tree.list), paths, fc.constantFrom(0, 1), (value, wanted, indent) => {
        const expected = wanted.map(path => {
          const found = valueAt(value, path);
          return typeof found === 'number' || typeof found === 'string' ? String(found) : undefined;
        });
        expect(pick(JSON.stringify(value, null, indent), ...wanted)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test('ends, and throws nothing, for any bytes', () => {
    const paths = ['a', 'a.b', 'a.0', '0.a', '0'];
    const piece = fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', 'a', '"a"', '"b":', '1', ' ', '\\u', 'é');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), pieces => {
        expect(pick(pieces.join(''), ...paths)).toHaveLength(5);
      }),
      { numRuns: 2000 },
    );
  });

  test('reads deep nesting that no path asks for', () => {
    expect(pick(`{"x":${'['.repeat(100_000)}${']'.repeat(100_000)},"a":"b"}`, 'a')).toEqual(['b']);
  });
});
