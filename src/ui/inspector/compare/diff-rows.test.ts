import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isJsonDocument, type JsonDocument, parseJson } from '../body/json.ts';
import { type DiffRow, foldRows, isDifference, jsonRows, pairRows } from './diff-rows.ts';

const json = (text: string): JsonDocument => {
  const parsed = parseJson(text);
  if (!isJsonDocument(parsed)) throw new Error(parsed.problem);
  return parsed;
};
const rows = (left: string, right: string): DiffRow[] => jsonRows(json(left), json(right));
const changes = (left: string, right: string) =>
  rows(left, right)
    .filter(isDifference)
    .map(({ kind, name, before, after }) => ({ kind, name, before, after }));
/** One line a row, indented: `3 unchanged, 1 hidden` for a fold. */
const tree = (all: readonly DiffRow[], hidesIdsAndTimes = false): string[] =>
  foldRows(all, { hidesIdsAndTimes }).map(row => {
    const text =
      row.kind === 'fold' ? `${row.sameCount} unchanged, ${row.hiddenCount} hidden` : `${row.kind} ${row.name}`;
    return '  '.repeat(row.depth) + text;
  });

describe('JSON', () => {
  test('reports what was added, removed and changed', () =>
    expect(changes('{"a":1,"b":{"c":"x"},"gone":null}', '{"b":{"c":"y"},"a":1,"new":[1]}')).toEqual([
      { kind: 'changed', name: 'c', before: '"x"', after: '"y"' },
      { kind: 'removed', name: 'gone', before: 'null', after: undefined },
      { kind: 'added', name: 'new', before: undefined, after: '[1]' },
    ]));

  test('key order and whitespace are ignored, the format of a number is not', () => {
    expect(changes('{"a":[ ],"b":2}', '{ "b": 2, "a": [] }')).toEqual([]);
    expect(changes('[1]', '[1.0]')).toHaveLength(1);
    expect(changes('[12345678901234567890]', '[12345678901234567891]')).toHaveLength(1);
  });

  test('an item inserted at the start is the only change', () =>
    expect(changes('[{"id":1},{"id":2}]', '[{"id":0},{"id":1},{"id":2}]')).toEqual([
      { kind: 'added', name: '[0]', before: undefined, after: '{"id":0}' },
    ]));

  test('a changed item shows its inner change', () =>
    expect(tree(rows('[1,{"id":2,"s":"a"},3]', '[1,{"id":2,"s":"b"},3]'))).toEqual([
      'same [0]',
      'parent [1]',
      '  same id',
      '  changed s',
      'same [2]',
    ]));

  test('duplicate keys are compared in order', () =>
    expect(changes('{"k":1,"k":2}', '{"k":1,"k":3}')).toMatchObject([{ kind: 'changed', before: '2', after: '3' }]));

  test('a change of kind is one change', () =>
    expect(changes('{"a":{"b":1}}', '{"a":[1]}')).toMatchObject([{ kind: 'changed', name: 'a' }]));

  test('a document equals itself, and 50,000 levels can be compared', () => {
    fc.assert(fc.property(fc.json(), text => expect(changes(text, text)).toEqual([])));
    const deep = (inner: string): string => `${'['.repeat(50_000)}${inner}${']'.repeat(50_000)}`;
    expect(changes(deep('1'), deep('2'))).toHaveLength(1);
  });
});

describe('the tree around the differences', () => {
  const charge = (amount: number, id: string): string =>
    `{"id":"${id}","object":"event","api":"v1","data":{"object":{"a":1,"b":2,"amount":${amount},"c":3,"d":4}},"live":true,"x":{"y":1}}`;

  test('each difference has its parents and its nearest neighbours; the rest is folded', () =>
    expect(tree(rows(charge(100, 'evt_1'), charge(250, 'evt_1')))).toEqual([
      '2 unchanged, 0 hidden',
      'same api',
      'parent data',
      '  parent object',
      '    same a',
      '    same b',
      '    changed amount',
      '    same c',
      '    same d',
      'same live',
      'same x',
    ]));

  test('what looks like an id or a time can be hidden, and a fold says how many are', () => {
    const all = rows(charge(100, 'evt_1'), charge(250, 'evt_2'));
    expect(tree(all)[0]).toBe('changed id');
    expect(tree(all, true).slice(0, 2)).toEqual(['1 unchanged, 1 hidden', 'same api']);
  });

  test('a parent whose differences are all hidden is folded, too', () => {
    const all = rows('{"a":{"id":1,"b":2},"n":1}', '{"a":{"id":2,"b":2},"n":2}');
    expect(tree(all, true)).toEqual(['0 unchanged, 1 hidden', 'changed n']);
    expect(foldRows(all, { hidesIdsAndTimes: true })[0]).toMatchObject({
      rows: [{ name: 'a' }, { name: 'id' }, { name: 'b' }],
    });
  });

  test('below 40 levels, only the differences are listed, with their path', () => {
    const deep = (inner: string): string => `${'{"a":'.repeat(60)}${inner}${'}'.repeat(60)}`;
    const last = rows(deep('{"n":1,"m":1}'), deep('{"n":2,"m":1}')).at(-1);
    expect(last).toMatchObject({ kind: 'changed', depth: 40, name: `$${'.a'.repeat(60)}.n` });
  });

  test('pairs match by name in any case, and what only one side has comes last', () =>
    expect(
      pairRows(
        [
          ['X-A', '1'],
          ['B', '2'],
        ],
        [
          ['x-a', '1'],
          ['b', '3'],
          ['C', ''],
        ],
      ),
    ).toMatchObject([
      { kind: 'same', name: 'X-A' },
      { kind: 'changed', name: 'B', before: '2', after: '3' },
      { kind: 'added', name: 'C', after: '' },
    ]));
});
