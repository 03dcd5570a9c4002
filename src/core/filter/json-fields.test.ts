/* Random paths in random JSON, with nested lists, repeated and escaped keys: the values found are those of JSON.parse. */
import { expect, test } from 'bun:test';
import { createRandom } from '../../../scripts/lib/payloads.ts';
import type { Step } from '../../shared/filter/filter.ts';
import { isJson } from '../json/validator.ts';
import { countMatches, createJsonPaths } from './json-fields.ts';
import { result } from './steps.ts';

const random = createRandom(77);
const oneOf = <T>(all: readonly T[]): T => all[random(all.length)] as T;
const keys = ['a', 'a', '0', '0', '1', 'é', 'a\\b', ''];

const space = (): string => oneOf(['', '', '', ' ', '\n\t']);
const written = (text: string): string =>
  oneOf([
    JSON.stringify(text),
    `"${[...text].map(character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`,
  ]);

function value(depth: number): string {
  const kind = depth === 0 ? random(5) : depth > 3 ? 5 + random(7) : random(12);
  if (kind === 0) return oneOf(['1', '-2.5', '1e3']);
  if (kind === 1) return oneOf(['true', 'null']);
  if (kind < 5) return written(oneOf(['x', ']', '}"{', '\\', 'a\\"b,', 'é😀']));
  const items = Array.from({ length: random(4) }, () =>
    kind < 9
      ? `${space()}${value(depth - 1)}${space()}`
      : `${space()}${written(oneOf(keys))}${space()}:${space()}${value(depth - 1)}${space()}`,
  );
  return kind < 9 ? `[${items.join(',')}]` : `{${items.join(',')}}`;
}

const path = (): Step[] =>
  Array.from({ length: 1 + random(4) }, () => (random(2) ? { anyItem: true } : { key: oneOf(keys) }));

function valuesAt(parsed: unknown, [step, ...rest]: readonly Step[]): unknown[] {
  if (step === undefined) return [parsed];
  if (typeof parsed !== 'object' || parsed === null) return [];
  if ('anyItem' in step) return Array.isArray(parsed) ? parsed.flatMap(item => valuesAt(item, rest)) : [];
  return Object.hasOwn(parsed, step.key) ? valuesAt((parsed as Record<string, unknown>)[step.key], rest) : [];
}

test('the values at random paths are those of JSON.parse', () => {
  let found = 0;
  for (let round = 0; round < 5000; round++) {
    const text = `${space()}${value(5)}${space()}`;
    const body = new TextEncoder().encode(text);
    if (!isJson(body)) throw new Error(`not JSON: ${text}`);
    const seen: string[][] = [];
    const wanted = Array.from({ length: 1 + random(8) }, (_, number) => ({
      path: path(),
      test: {
        isPresence: number % 2 === 0,
        matchesText: () => false,
        matchesJson: (_: Uint8Array, start: number, end: number) => {
          seen[number] ??= [];
          seen[number].push(new TextDecoder().decode(body.subarray(start, end)));
          return true;
        },
      },
    }));
    const counts = result(countMatches(body, createJsonPaths(wanted), random(2) ? 1 + random(9) : Infinity));
    const parsed: unknown = JSON.parse(text);
    for (const [number, { path, test }] of wanted.entries()) {
      const expected = valuesAt(parsed, path).filter(one => test.isPresence || typeof one !== 'object' || one === null);
      found += expected.length;
      if (counts[number] !== expected.length)
        expect({ text, path, count: counts[number] }).toEqual({ text, path, count: expected.length });
      // Values of keys that came again later are among them.
      const read = (seen[number] ?? []).map(one => JSON.parse(one) as unknown);
      if (!test.isPresence) expect(expected.every(one => read.includes(one))).toBe(true);
    }
  }
  expect(found).toBeGreaterThan(3000);
});
