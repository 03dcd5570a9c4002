import { expect, test } from 'bun:test';
import { isJsonDocument, type JsonDocument, keyOf, parseJson } from './json.ts';
import { collapseAll, initiallyClosed, treeRows } from './tree-rows.ts';

const json = (text: string): JsonDocument => {
  const parsed = parseJson(text);
  if (!isJsonDocument(parsed)) throw new Error(parsed.problem);
  return parsed;
};
const shown = (document: JsonDocument, closed: Set<number>): string[] =>
  treeRows(document, closed).map(row => {
    const node = document.nodes[row < 0 ? ~row : row];
    return row < 0 ? `/${node?.kind}` : node ? (keyOf(document, node) ?? node.kind) : '';
  });

const sample = json('{"a":{"b":[1,2]},"c":{},"d":3}');

test('open containers have a closing row; empty and closed containers do not', () => {
  expect(shown(sample, new Set())).toEqual([
    'object',
    'a',
    'b',
    'number',
    'number',
    '/array',
    '/object',
    'c',
    'd',
    '/object',
  ]);
  expect(shown(sample, collapseAll(sample))).toEqual(['object', 'a', 'c', 'd', '/object']);
});

test('a small tree starts open, a large one shows its outline, and a deep one is closed below a limit', () => {
  expect(initiallyClosed(sample).size).toBe(0);
  const big = json(`{"list":[${Array(5000).fill('{"x":1}').join(',')}],"id":1}`);
  expect(shown(big, initiallyClosed(big))).toEqual(['object', 'list', 'id', '/object']);
  const deep = json('['.repeat(20_000) + ']'.repeat(20_000));
  expect(treeRows(deep, initiallyClosed(deep)).length).toBeLessThan(120);
  expect(treeRows(deep, new Set())).toHaveLength(2 * 20_000 - 1);
});
