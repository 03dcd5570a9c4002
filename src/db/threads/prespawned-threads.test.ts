import { describe, expect, test } from 'bun:test';
import { prespawnThreads } from './prespawned-threads.ts';
import { startThread } from './thread-handle.ts';

describe('prespawned threads', () => {
  const setUp = () => {
    const spawned: (EventTarget & { name: string })[] = [];
    const spawn = prespawnThreads(
      name => {
        const worker = Object.assign(new EventTarget(), { name: `${name} ${spawned.length + 1}` });
        spawned.push(worker);
        return worker as unknown as Worker;
      },
      ['writer', 'reader'],
    );
    return { spawned, spawnName: (name: 'writer' | 'reader') => (spawn(name) as unknown as { name: string }).name };
  };

  test('are handed out once each, by name; further threads are spawned', () => {
    const { spawnName } = setUp();
    expect([spawnName('reader'), spawnName('reader'), spawnName('writer')]).toEqual([
      'reader 2',
      'reader 3',
      'writer 1',
    ]);
  });

  test.each(['error', 'close'])('are not handed out after their %s event', end => {
    const { spawned, spawnName } = setUp();
    spawned[0]?.dispatchEvent(new Event(end));
    expect([spawnName('writer'), spawnName('reader')]).toEqual(['writer 3', 'reader 2']);
  });

  test('whose program fails to load make startThread fail instead of wait', async () => {
    const broken = URL.createObjectURL(new Blob(['throw new Error("broken")'], { type: 'text/javascript' }));
    let ended = Promise.resolve();
    const spawn = prespawnThreads(() => {
      const worker = new Worker(broken);
      ended = new Promise(resolve => worker.addEventListener('close', () => resolve()));
      return worker;
    }, ['writer']);
    await ended;
    const starting = startThread({
      spawn: () => spawn('writer'),
      open: { path: ':memory:', readOnly: false },
      onBusy: () => {},
      onThreadFailure: () => {},
    });
    expect(await starting.catch(error => error)).toMatchObject({ code: 'THREAD_DIED' });
  });
});
