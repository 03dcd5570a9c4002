import { describe, expect, test } from 'bun:test';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createLocalIndex, createSharedIndex } from './credential-index.ts';

describe('the index of a local database', () => {
  test('every credential may exist until the ids are read, then only those and the added ones', async () => {
    const index = createLocalIndex(async () => ['a', 'b']);
    expect(index.mayExist('x')).toBe(true);
    await index.reload();
    index.add('c');
    expect(['a', 'b', 'c', 'x'].map(index.mayExist)).toEqual([true, true, true, false]);
  });

  test('a reload drops deleted ids and keeps those added during it', async () => {
    let stored = ['a', 'b'];
    const reading = Promise.withResolvers<void>();
    const index = createLocalIndex(async () => {
      const seen = stored;
      await reading.promise;
      return seen;
    });
    const first = index.reload();
    index.add('added while reading');
    reading.resolve();
    await first;
    stored = ['b'];
    expect(index.mayExist('added while reading')).toBe(true);
    await index.reload();
    expect(['a', 'b', 'added while reading'].map(index.mayExist)).toEqual([false, true, false]);
  });

  test('a failed reload keeps the known ids', async () => {
    let fails = false;
    const index = createLocalIndex(async () => {
      if (fails) throw new Error('no disk');
      return ['a'];
    });
    await index.reload();
    fails = true;
    expect(await thrownBy(index.reload())).toThrow('no disk');
    expect([index.mayExist('a'), index.mayExist('x')]).toEqual([true, false]);
  });
});

describe('the index of a shared database', () => {
  test('concurrent lookups share a query, and ids that exist are cached', async () => {
    const queries: string[][] = [];
    const index = createSharedIndex(async ids => {
      queries.push(ids);
      return ids.filter(id => id.startsWith('real'));
    });
    expect(await Promise.all(['real 1', 'x', 'real 2', 'x'].map(index.mayExist))).toEqual([true, false, true, false]);
    expect(queries).toEqual([['real 1'], ['x', 'real 2']]);
    expect(await index.mayExist('real 1')).toBe(true);
    expect(queries).toHaveLength(2);
  });

  test('a credential of another process is found at its first use', async () => {
    const stored = new Set<string>();
    const index = createSharedIndex(async ids => ids.filter(id => stored.has(id)));
    expect(await index.mayExist('new')).toBe(false);
    stored.add('new');
    expect(await index.mayExist('new')).toBe(true);
  });

  test('a failed query is not cached', async () => {
    let fails = true;
    const index = createSharedIndex(async ids => {
      if (fails) throw new Error('no network');
      return ids;
    });
    expect(await thrownBy(Promise.resolve(index.mayExist('a')))).toThrow('no network');
    fails = false;
    expect(await index.mayExist('a')).toBe(true);
  });
});
