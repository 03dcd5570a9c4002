import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isJsonDocument, type JsonDocument, parseJson } from '../body/json.ts';
import { type Change, diffJson } from './json-diff.ts';

const json = (text: string): JsonDocument => {
  const parsed = parseJson(text);
  if (!isJsonDocument(parsed)) throw new Error(parsed.problem);
  return parsed;
};
const changes = (left: string, right: string): Change[] => diffJson(json(left), json(right));

describe('JSON', () => {
  test('reports by path what was added, removed and changed', () =>
    expect(changes('{"a":1,"b":{"c":"x"},"gone":null}', '{"b":{"c":"y"},"a":1,"new":[1]}')).toEqual([
      { kind: 'removed', path: '$.gone', before: 'null', after: undefined },
      { kind: 'added', path: '$.new', before: undefined, after: '[1]' },
      { kind: 'changed', path: '$.b.c', before: '"x"', after: '"y"' },
    ]));

  test('key order and whitespace are ignored, the format of a number is not', () => {
    expect(changes('{"a":[ ],"b":2}', '{ "b": 2, "a": [] }')).toEqual([]);
    expect(changes('[1]', '[1.0]')).toHaveLength(1);
    expect(changes('[12345678901234567890]', '[12345678901234567891]')).toHaveLength(1);
  });

  test('an item inserted at the start is the only change', () =>
    expect(changes('[{"id":1},{"id":2}]', '[{"id":0},{"id":1},{"id":2}]')).toEqual([
      { kind: 'added', path: '$[0]', before: undefined, after: '{"id":0}' },
    ]));

  test('a changed item shows its inner change', () =>
    expect(changes('[1,{"id":2,"s":"a"},3]', '[1,{"id":2,"s":"b"},3]').map(change => change.path)).toEqual(['$[1].s']));

  test('duplicate keys are compared in order', () =>
    expect(changes('{"k":1,"k":2}', '{"k":1,"k":3}')).toMatchObject([{ kind: 'changed', before: '2', after: '3' }]));

  test('a change of kind is one change', () =>
    expect(changes('{"a":{"b":1}}', '{"a":[1]}')).toMatchObject([{ kind: 'changed', path: '$.a' }]));

  test('a document equals itself, and 50,000 levels can be compared', () => {
    fc.assert(fc.property(fc.json(), text => expect(changes(text, text)).toEqual([])));
    const deep = (inner: string): string => `${'['.repeat(50_000)}${inner}${']'.repeat(50_000)}`;
    expect(changes(deep('1'), deep('2'))).toHaveLength(1);
  });
});
