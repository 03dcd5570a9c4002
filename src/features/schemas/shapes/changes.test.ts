import { describe, expect, test } from 'bun:test';
import { parseFilter } from '../../../shared/filter/parser.ts';
import { learnInto, storedText } from '../../../testing/schemas.ts';
import { decodeSchema, encodeSchema } from './codec.ts';
import { newSchema } from './shape.ts';

const times = (count: number, make: (n: number) => unknown): string[] =>
  Array.from({ length: count }, (_, n) => JSON.stringify(make(n)));

/** The changes that these events show; stored and read back now and then. */
function changesOf(texts: string[]) {
  let schema = newSchema();
  return texts.flatMap((text, at) => {
    const changes = learnInto(schema, [text]).map(({ kind, path }) => `${at} ${kind} ${path}`);
    if (at % 7 === 0) schema = decodeSchema(encodeSchema(schema)) ?? newSchema();
    return changes;
  });
}

const order = (more: object = {}) => ({ id: 1, data: { object: { amount: 5, ...more } }, items: [{ sku: 'a' }] });

describe('a change', () => {
  test('is reported once: a renamed property is new at once, and its old name has vanished 50 events later', () => {
    const renamed = { id: 1, data: { object: { amount_cents: 500 } }, items: [{ sku: 'a' }] };
    expect(changesOf([...times(20, () => order()), ...times(200, () => renamed)])).toEqual([
      '20 new data.object.amount_cents',
      '69 vanished data.object.amount',
    ]);
  });

  test('is reported once for a value of another kind, also null, in lists too', () => {
    const texts = [
      ...times(20, () => ({ a: '1', b: 1, c: [{ d: 'x' }] })),
      ...times(5, () => ({ a: 1, b: 1, c: [{ d: 'x' }] })),
      ...times(5, n => ({ a: n % 2 ? '1' : 1, b: 1.5, c: [{ d: 'x' }, { d: null }, { d: null }] })),
    ];
    expect(changesOf(texts)).toEqual(['20 type a', '25 type b', '25 type c[].d']);
  });

  test('is not an integer where there were fractions', () => {
    expect(changesOf([...times(20, () => ({ a: 1.5 })), ...times(5, () => ({ a: 1 }))])).toEqual([]);
  });

  test('is reported for the outermost new path only', () => {
    const more = { refund: { id: 1, lines: [{ sku: 'a' }] } };
    expect(changesOf([...times(30, () => order()), ...times(3, () => order(more))])).toEqual([
      '30 new data.object.refund',
    ]);
  });

  test('of a property in the items of a list', () => {
    const texts = [
      ...times(25, () => ({ items: [{ a: 1 }, { a: 1 }] })),
      ...times(60, () => ({ items: [{ b: 1 }, { b: 1 }] })),
    ];
    expect(changesOf(texts)).toEqual(['25 new items[].b', '74 vanished items[].a']);
  });

  test('is the return of a vanished path, and its second end', () => {
    const [with_, without] = [() => ({ a: 1, b: 1 }), () => ({ a: 1 })];
    const texts = [...times(30, with_), ...times(60, without), ...times(10, with_), ...times(60, without)];
    expect(changesOf(texts)).toEqual(['79 vanished b', '90 new b', '149 vanished b']);
  });

  test('of many properties at once is reported for each', () => {
    const snake = { first_value: 1, second_value: 1, third_value: 1, fourth_value: 1, fifth_value: 1, sixth_value: 1 };
    const camel = { firstValue: 1, secondValue: 1, thirdValue: 1, fourthValue: 1, fifthValue: 1, sixthValue: 1 };
    const changes = changesOf([...times(40, () => snake), ...times(80, () => camel)]);
    expect(changes.filter(change => change.startsWith('40 new'))).toHaveLength(6);
    expect(changes.filter(change => change.startsWith('89 vanished'))).toHaveLength(6);
    expect(changes).toHaveLength(12);
  });
});

describe('nothing is reported', () => {
  test('while fewer than 20 events had the object', () => {
    expect(changesOf(times(20, n => ({ a: 1, [`field_${'x'.repeat(n + 1)}`]: n % 2 ? 1 : null })))).toEqual([]);
  });

  test('of a property that comes and goes', () => {
    const rare = times(600, n => ({ a: 1, ...(n % 60 < 3 && { rare: 1 }), ...(n % 2 && { often: 1 }) }));
    expect(changesOf(rare)).toEqual([]);
  });

  test('of an object that the event does not have', () => {
    expect(changesOf([...times(30, () => ({ a: { b: 1 } })), ...times(49, () => ({}))])).toEqual([]);
    expect(changesOf([...times(30, () => ({ a: { b: 1 } })), ...times(60, () => ({}))])).toEqual(['79 vanished a']);
  });

  test('of keys that change all the time', () => {
    const word = (n: number): string => `k${String.fromCharCode(97 + (n % 26), 97 + (Math.floor(n / 26) % 26))}`;
    expect(changesOf(times(300, n => ({ a: 1, metadata: { [word(n)]: n, [word(n + 1)]: n } })))).toEqual([]);
    expect(changesOf(times(300, n => ({ a: 1, byId: { [`cus_${n}a8f9d2b`]: { n } } })))).toEqual([]);
  });
});

test('paths are those of the filter language', () => {
  const odd = { 'a.b': 1, 'c d': { 'say "hi"': 1 }, ünder_score: 1, $ref: 1, '*': 1, 'nul\0': 1 };
  const changes = changesOf([
    ...times(20, () => ({ id: 1, list: [[1]] })),
    ...times(1, () => ({ id: 1, list: [['x']], ...odd })),
  ]);
  expect(changes).toEqual([
    '20 type list[][]',
    '20 new "a.b"',
    '20 new "c d"',
    '20 new ünder_score',
    '20 new $ref',
    '20 new "*"',
    '20 new "nul\ufffd"',
  ]);
  const steps = changes.map(change => {
    const { root } = parseFilter(`has:body.${change.replace(/^\d+ \w+ /, '')}`);
    return root?.kind === 'term' && root.on === 'has' && root.field === 'body' ? root.path : undefined;
  });
  const keys = ['a.b', 'c d', 'ünder_score', '$ref', '*', 'nul\ufffd'];
  expect(steps).toEqual([[{ key: 'list' }, { anyItem: true }, { anyItem: true }], ...keys.map(key => [{ key }])]);
});

test('a stored schema has no more than counters beside its paths', () => {
  const schema = newSchema();
  learnInto(
    schema,
    times(3, n => ({ a: `secret ${n}`, b: 12345 })),
  );
  expect(storedText(schema)).not.toMatch(/secret|12345/);
});
