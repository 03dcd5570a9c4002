import { describe, expect, test } from 'bun:test';
import { createWriteTurns } from './write-turns.ts';

const limits = { writeMs: 1000, captureMs: 1000, onTimeout: () => {} };

describe('writes', () => {
  test('run one at a time, in order, and go on after one that failed', async () => {
    const { run, depth } = createWriteTurns({ ...limits, monotonic: () => 0 });
    const running: string[] = [];
    const ended: string[] = [];
    const write = (name: string) => async () => {
      running.push(name);
      expect(running).toEqual([name]);
      await Bun.sleep(1);
      running.pop();
      ended.push(name);
      if (name === 'b') throw new Error(name);
      return name;
    };
    const all = ['a', 'b', 'c'].map(name => run(write(name)).catch(error => `failed: ${error.message}`));
    expect(depth()).toBe(3);
    expect(await Promise.all(all)).toEqual(['a', 'failed: b', 'c']);
    expect(ended).toEqual(['a', 'b', 'c']);
    expect(depth()).toBe(0);
  });

  test('that have waited too long fail without running, and later ones run', async () => {
    let now = 0;
    const { run } = createWriteTurns({ ...limits, monotonic: () => now });
    const { promise: answer, resolve } = Promise.withResolvers<string>();
    const ran: string[] = [];
    const write = (name: string) => async () => {
      ran.push(name);
      return name;
    };
    const first = run(() => answer);
    const late = run(write('late')).catch(error => error);
    now = 500;
    const inTime = run(write('in time'));
    now = 1001;
    resolve('answered');
    expect(await first).toBe('answered');
    expect(await late).toMatchObject({ code: 'TIMEOUT' });
    expect(await inTime).toBe('in time');
    expect(ran).toEqual(['in time']);
  });
});
