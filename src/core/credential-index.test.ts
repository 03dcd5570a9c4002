import { describe, expect, test } from 'bun:test';
import { createLocalIndex, createSharedIndex } from './credential-index.ts';

describe('of a database that only this process writes', () => {
  test('every id may exist until the ids are read, then only those and added ones', async () => {
    const index = createLocalIndex(async () => ['a', 'b']);
    expect(index.mayExist('x')).toBe(true);
    await index.reload();
    index.add('c');
    expect(['a', 'b', 'c', 'x'].map(index.mayExist)).toEqual([true, true, true, false]);
  });

  test('reading again drops what is gone and keeps what was added meanwhile', async () => {
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

  test('a failed read leaves what was known', async () => {
    let fails = false;
    const index = createLocalIndex(async () => {
      if (fails) throw new Error('no disk');
      return ['a'];
    });
    await index.reload();
    fails = true;
    await expect(index.reload()).rejects.toThrow('no disk');
    expect([index.mayExist('a'), index.mayExist('x')]).toEqual([true, false]);
  });
});

describe('of a database that other processes write', () => {
  test('lookups at the same time share a query, and an id that exists is not looked up again', async () => {
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

  test('a credential that another process made exists from its first use on', async () => {
    const stored = new Set<string>();
    const index = createSharedIndex(async ids => ids.filter(id => stored.has(id)));
    expect(await index.mayExist('new')).toBe(false);
    stored.add('new');
    expect(await index.mayExist('new')).toBe(true);
  });

  test('after a failed query ids are looked up again', async () => {
    let fails = true;
    const index = createSharedIndex(async ids => {
      if (fails) throw new Error('no network');
      return ids;
    });
    await expect(Promise.resolve(index.mayExist('a'))).rejects.toThrow('no network');
    fails = false;
    expect(await index.mayExist('a')).toBe(true);
  });
});
