import { describe, expect, test } from 'bun:test';
import { createBackground } from './background.ts';

const options = { monotonic: () => performance.now(), onError: () => {} };

describe('background work', () => {
  test('runs a woken job slice by slice until it is done, and again when woken again', async () => {
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

  test('a job that asks for a rest is not run before it is over, whoever wakes it, and has work left', async () => {
    const background = createBackground({ ...options, isBusy: () => false });
    const runs: number[] = [];
    const job = background.add({
      name: 'resting',
      slice: async () => (runs.push(performance.now()) === 1 ? { restMs: 40 } : 'done'),
    });
    job.wake();
    while (runs.length === 0) await Bun.sleep(1);
    for (let i = 0; i < 5; i++) {
      job.wake();
      await Bun.sleep(1);
    }
    expect(runs).toHaveLength(1);
    await background.idle();
    expect(runs).toHaveLength(2);
    expect((runs[1] ?? 0) - (runs[0] ?? 0)).toBeGreaterThanOrEqual(39);
  });

  test('a wake that comes while the slice runs is not lost', async () => {
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

  test('waits for ingest, but not for ever', async () => {
    let now = 0;
    let asked = 0;
    const busy = () => {
      asked++;
      now += 10;
      return true;
    };
    const background = createBackground({ ...options, isBusy: busy, monotonic: () => now, maxWaitMs: 50 });
    let ran = false;
    const job = background.add({
      name: 'patient',
      slice: async () => {
        ran = true;
        return 'done';
      },
    });
    job.wake();
    await background.idle();
    expect([ran, asked]).toEqual([true, 5]);
  });

  test('jobs take turns, one failing does not stop the others, and it is tried again', async () => {
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
    while (!seen.includes('bad')) await new Promise(resolve => setTimeout(resolve, 1));
    await background.idle();
    expect(errors).toEqual(['bad']);
    expect(seen.filter(name => name === 'good')).toHaveLength(2);
  });

  test('stop lets the running slice finish and starts no other', async () => {
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
