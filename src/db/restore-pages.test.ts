import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ObjectPages, writePages } from './restore-pages.ts';

const pageSize = 512;
let directory = '';
let file = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-pages-'));
  file = join(directory, 'database');
  writeFileSync(file, '');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const pageOf = (value: number): Uint8Array => new Uint8Array(pageSize).fill(value);
const object = (seq: number, records: [page: number, kind: 'full' | 'delta', value: number][]): ObjectPages => ({
  seq,
  pages: Uint32Array.from(records, ([page]) => page),
  isDelta: record => records[record]?.[1] === 'delta',
  data: Buffer.concat(records.map(([, , value]) => pageOf(value))),
});
async function* all(...objects: ObjectPages[]): AsyncGenerator<ObjectPages> {
  yield* objects;
}
/** @param values of the pages; undefined for one that was never in use */
const stateOf = (values: (number | undefined)[], needs: (page: number, seq: number) => boolean = () => true) => ({
  pages: values.length,
  pageSize,
  needs,
  hash: (page: number) => {
    const value = values[page - 1];
    return value === undefined ? undefined : Bun.hash.xxHash3(pageOf(value));
  },
});

test('full pages replace, deltas change, and pages that were never in use stay empty', async () => {
  const objects = all(
    object(1, [
      [1, 'full', 1],
      [2, 'full', 2],
      [3, 'full', 3],
      [6, 'full', 9],
    ]),
    object(4, [
      [2, 'delta', 4],
      [3, 'full', 7],
      [5, 'full', 5],
    ]),
  );
  expect(await writePages(file, stateOf([1, 6, 7, undefined, 5]), objects)).toBeUndefined();
  expect(readFileSync(file)).toEqual(Buffer.concat([1, 6, 7, 0, 5].map(pageOf)));
});

test('versions that are not part of the state are left out', async () => {
  const needs = (page: number, seq: number): boolean => page === 1 || seq > 1;
  const objects = all(
    object(1, [
      [1, 'full', 1],
      [2, 'full', 2],
    ]),
    object(2, [[2, 'full', 3]]),
  );
  expect(await writePages(file, stateOf([1, 3], needs), objects)).toBeUndefined();
});

test('a page with another content, and a page that is missing, are found', async () => {
  const pages = object(1, [
    [1, 'full', 1],
    [2, 'full', 2],
  ]);
  expect(await writePages(file, stateOf([1, 3]), all(pages))).toBe(2);
  expect(await writePages(file, stateOf([1, 2, 3]), all(pages))).toBe(3);
  expect(await writePages(file, stateOf([1, undefined]), all(pages))).toBe(2);
});
