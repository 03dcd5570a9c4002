import { describe, expect, test } from 'bun:test';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createSemaphore } from './semaphore.ts';

/** Work that starts when it is called and ends when the test says so. */
function createWork() {
  const started: string[] = [];
  const ends = new Map<string, (isFailure: boolean) => void>();
  return {
    started,
    end: async (name: string, isFailure = false): Promise<void> => {
      ends.get(name)?.(isFailure);
      await new Promise(resolve => setImmediate(resolve));
    },
    start: (name: string) => () => {
      started.push(name);
      return new Promise<string>((resolve, reject) =>
        ends.set(name, isFailure => (isFailure ? reject(new Error(name)) : resolve(name))),
      );
    },
  };
}

describe('tryAcquire', () => {
  test('gives each key its own permits, and a permit is released once', () => {
    const { tryAcquire } = createSemaphore(2);
    const release = tryAcquire('a');
    expect(tryAcquire('a')).toBeDefined();
    expect(tryAcquire('a')).toBeUndefined();
    expect(tryAcquire('b')).toBeDefined();
    release?.();
    release?.();
    expect(tryAcquire('a')).toBeDefined();
    expect(tryAcquire('a')).toBeUndefined();
  });

  test('does not overtake work that waits', async () => {
    const { tryAcquire, run, waiting } = createSemaphore(1);
    const { started, end, start } = createWork();
    const release = tryAcquire('a');
    const work = run('a', start('work'));
    expect(waiting('a')).toBe(1);
    release?.();
    expect(tryAcquire('a')).toBeUndefined();
    await Promise.resolve();
    expect([started, waiting('a')]).toEqual([['work'], 0]);
    await end('work');
    await work;
    expect(tryAcquire('a')).toBeDefined();
  });
});

describe('run', () => {
  test('runs as much of a key as there are permits, the rest in order, whether work succeeds or fails', async () => {
    const { run } = createSemaphore(2);
    const { started, end, start } = createWork();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(name => run('ada', start(name)).catch(() => `${name} failed`));
    expect(started).toEqual(['a', 'b']);
    await end('b', true);
    expect(started).toEqual(['a', 'b', 'c']);
    await end('a');
    await end('d');
    await end('c');
    expect(await Promise.all([a, b, c, d])).toEqual(['a', 'b failed', 'c', 'd']);
  });

  test('another key does not wait', async () => {
    const { run } = createSemaphore(1);
    const { started, end, start } = createWork();
    const all = [run('ada', start('a')), run('ada', start('b')), run('bob', start('c'))];
    expect(started).toEqual(['a', 'c']);
    for (const name of ['a', 'b', 'c']) await end(name);
    await Promise.all(all);
    const again = run('ada', start('d'));
    expect(started.at(-1)).toBe('d');
    await end('d');
    await again;
  });
});

test('runFirst goes before what waits, in order, and interrupts nothing', async () => {
  const { run, runFirst, waiting } = createSemaphore(1);
  const { started, end, start } = createWork();
  const all = ['a', 'b', 'c'].map(name => run('ada', start(name)));
  all.push(...['first', 'second'].map(name => runFirst('ada', start(name))));
  expect([started, waiting('ada')]).toEqual([['a'], 4]);
  const order = ['a', 'first', 'second', 'b', 'c'];
  for (const name of order) await end(name);
  await Promise.all(all);
  expect([started, waiting('ada')]).toEqual([order, 0]);
});

describe('acquire', () => {
  test('waits in line, and a call that is aborted leaves it', async () => {
    const { acquire, waiting } = createSemaphore(1);
    const got: string[] = [];
    const take = async (name: string, signal?: AbortSignal): Promise<() => void> => {
      const release = await acquire('ada', signal);
      got.push(name);
      return release;
    };
    const first = await take('first');
    const gone = new AbortController();
    const left = take('left', gone.signal);
    const last = take('last');
    expect(waiting('ada')).toBe(2);
    gone.abort(new Error('gone'));
    expect(await thrownBy(left)).toThrow('gone');
    expect(await thrownBy(take('too late', gone.signal))).toThrow('gone');
    expect(waiting('ada')).toBe(1);
    first();
    first();
    (await last)();
    expect([got, waiting('ada')]).toEqual([['first', 'last'], 0]);
  });
});
