import { describe, expect, test } from 'bun:test';
import { eventually } from '../testing/poll.ts';
import { createBackground } from './background.ts';

const options = { monotonic: () => performance.now(), onError: () => {} };

describe('the background scheduler', () => {
  test('runs a woken job slice by slice until it is done, and again when it is woken again', async () => {
    const background = createBackground({ ...options, isBusy: () => false });
    let left = 3;
    const job = background.add({ name: 'count', slice: async () => (--left > 0 ? 'more' : 'done') });
    job.wake();
    await background.idle();
    expect(left).toBe(0);
    left = 1;
    job.wake();
    await background.idle();
    expect(left).toBe(0);
  });

  test('does not run a paused job before its pause is over, even when it is woken, and then continues it', async () => {
    const background = createBackground({ ...options, isBusy: () => false });
    const nextTurn = () => new Promise(resolve => setImmediate(resolve));
    let runs = 0;
    const job = background.add({
      name: 'pausing',
      slice: async () => (++runs === 1 ? { restMs: 200 } : 'done'),
    });
    job.wake();
    while (runs === 0) await nextTurn();
    for (let i = 0; i < 5; i++) {
      job.wake();
      await nextTurn();
    }
    expect(runs).toBe(1);
    await background.idle();
    expect(runs).toBe(2);
  });

  test('runs a job again that is woken during its slice', async () => {
    const background = createBackground({ ...options, isBusy: () => false });
    let runs = 0;
    const job = background.add({
      name: 'late',
      slice: async () => {
        if (++runs === 1) job.wake();
        return 'done';
      },
    });
    job.wake();
    await background.idle();
    expect(runs).toBe(2);
  });

  test('waits for deliveries to be committed, but not longer than maxWaitMs', async () => {
    let now = 0;
    let checks = 0;
    const busy = () => {
      checks++;
      now += 10;
      return true;
    };
    const background = createBackground({ ...options, isBusy: busy, monotonic: () => now, maxWaitMs: 50 });
    let ran = false;
    const job = background.add({
      name: 'waiting',
      slice: async () => {
        ran = true;
        return 'done';
      },
    });
    job.wake();
    await background.idle();
    expect([ran, checks]).toEqual([true, 5]);
  });

  test('alternates between jobs, and runs one that failed again later', async () => {
    const seen: string[] = [];
    const errors: string[] = [];
    const background = createBackground({
      ...options,
      isBusy: () => false,
      onError: job => errors.push(job),
      retryMs: 1,
    });
    let failed = false;
    const bad = background.add({
      name: 'bad',
      slice: async () => {
        if (!failed) {
          failed = true;
          throw new Error('once');
        }
        seen.push('bad');
        return 'done';
      },
    });
    let left = 2;
    const good = background.add({
      name: 'good',
      slice: async () => {
        seen.push('good');
        return --left > 0 ? 'more' : 'done';
      },
    });
    bad.wake();
    good.wake();
    await eventually(() => seen.includes('bad'));
    await background.idle();
    expect(errors).toEqual(['bad']);
    expect(seen.filter(name => name === 'good')).toHaveLength(2);
  });

  test('stop waits for the running slice and starts no other', async () => {
    const background = createBackground({ ...options, isBusy: () => false });
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    let slices = 0;
    const job = background.add({
      name: 'slow',
      slice: async () => {
        slices++;
        started.resolve();
        await release.promise;
        return 'more';
      },
    });
    job.wake();
    await started.promise;
    const stopping = background.stop();
    release.resolve();
    await stopping;
    job.wake();
    expect(slices).toBe(1);
  });
});
