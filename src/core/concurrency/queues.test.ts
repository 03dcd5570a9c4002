import { expect, test } from 'bun:test';
import { createQueues } from './queues.ts';

function createWork() {
  const begun: string[] = [];
  const ends = new Map<string, (fails: boolean) => void>();
  return {
    begun,
    end: async (name: string, fails = false): Promise<void> => {
      ends.get(name)?.(fails);
      await new Promise(resolve => setImmediate(resolve));
    },
    start: (name: string) => () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) =>
        ends.set(name, fails => (fails ? reject(new Error(name)) : resolve(name))),
      );
    },
  };
}

test('two of a holder run at a time, the others in their order, whatever becomes of those before them', async () => {
  const inTurn = createQueues(2);
  const { begun, end, start } = createWork();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(name => inTurn('ada', start(name)).catch(() => `${name} failed`));
  expect(begun).toEqual(['a', 'b']);
  await end('b', true);
  expect(begun).toEqual(['a', 'b', 'c']);
  await end('a');
  await end('d');
  await end('c');
  expect(await Promise.all([a, b, c, d])).toEqual(['a', 'b failed', 'c', 'd']);
});

test('another holder does not wait', async () => {
  const inTurn = createQueues(1);
  const { begun, end, start } = createWork();
  const all = [inTurn('ada', start('a')), inTurn('ada', start('b')), inTurn('bob', start('c'))];
  expect(begun).toEqual(['a', 'c']);
  for (const name of ['a', 'b', 'c']) await end(name);
  await Promise.all(all);
  const again = inTurn('ada', start('d'));
  expect(begun.at(-1)).toBe('d');
  await end('d');
  await again;
});
