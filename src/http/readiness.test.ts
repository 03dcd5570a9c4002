import { describe, expect, test } from 'bun:test';
import { openTestServer } from '../testing/test-server.ts';
import { createReadiness, type ReadinessOptions } from './readiness.ts';

const setUp = (options: Partial<ReadinessOptions> = {}) => {
  let now = 0;
  let writes = 0;
  const said: string[] = [];
  const say = (level: string) => (message: string) => void said.push(`${level}: ${message}`);
  const readiness = createReadiness({
    checkWritable: async () => void writes++,
    diskSpace: async () => ({ freeBytes: 50e9, totalBytes: 100e9 }),
    monotonic: () => now,
    log: { info: say('info'), warn: say('warn'), error: say('error') },
    ...options,
  });
  return { readiness, said, writes: () => writes, pass: (ms: number) => (now += ms) };
};

describe('readiness', () => {
  test('a thousand probes within a second cost one write', async () => {
    const { readiness, writes, pass } = setUp();
    await Promise.all(Array.from({ length: 1000 }, () => readiness.problem()));
    expect(await readiness.problem()).toBeUndefined();
    expect(writes()).toBe(1);
    pass(1000);
    await readiness.problem();
    expect(writes()).toBe(2);
  });

  test('is not ready while a write fails or hangs, and ready again when one succeeds', async () => {
    const hanging = Promise.withResolvers<void>();
    const results = [() => Promise.reject(new Error('disk')), () => hanging.promise];
    let asked = 0;
    const { readiness, pass, said } = setUp({
      checkWritable: () => results[asked++]?.() ?? Promise.resolve(),
      writeTimeoutMs: 10,
    });
    expect(await readiness.problem()).toBe('the database cannot be written');
    expect(said).toEqual(['error: not ready: the database cannot be written']);
    pass(1000);
    expect(await readiness.problem()).toBe('the database does not answer');
    pass(1000);
    expect(await readiness.problem()).toBe('the database does not answer');
    expect(asked).toBe(2);
    hanging.resolve();
    await hanging.promise;
    pass(1000);
    expect(await readiness.problem()).toBeUndefined();
  });

  test('gives the known reason why a write hangs or fails, but only then', async () => {
    const results = [() => new Promise<void>(() => {})];
    const reason = 'reads work';
    const { readiness } = setUp({
      checkWritable: () => results.shift()?.() ?? Promise.resolve(),
      writeProblem: async () => reason,
      writeTimeoutMs: 10,
    });
    expect(await readiness.problem()).toBe(reason);
    const healthy = setUp({ writeProblem: async () => reason });
    expect(await healthy.readiness.problem()).toBeUndefined();
    const failing = setUp({ checkWritable: () => Promise.reject(new Error('disk')), writeProblem: async () => reason });
    expect(await failing.readiness.problem()).toBe(reason);
  });

  test('logs one warning before the disk is full, and is not ready when it is', async () => {
    const space = { freeBytes: 50e9, totalBytes: 100e9 };
    const { readiness, said, pass } = setUp({ diskSpace: async () => space });
    await readiness.checkDisk();
    expect(said).toEqual([]);
    space.freeBytes = 9e9;
    await readiness.checkDisk();
    await readiness.checkDisk();
    expect(said).toEqual([expect.stringContaining('warn: the disk is filling up')]);
    expect(await readiness.problem()).toBeUndefined();
    space.freeBytes = 20e6;
    pass(1000);
    expect(await readiness.problem()).toBe('the disk is full');
    expect(said[1]).toStartWith('error: the disk is full');
    space.freeBytes = 50e9;
    pass(1000);
    expect(await readiness.problem()).toBeUndefined();
    expect(said[2]).toStartWith('info: ');
  });

  test('a disk whose free space is unknown does not count as full', async () => {
    const { readiness } = setUp({ diskSpace: () => Promise.reject(new Error('no statfs')) });
    expect(await readiness.problem()).toBeUndefined();
  });

  test('/readyz is 503 as soon as the server is stopping, while /healthz is still 200', async () => {
    const server = await openTestServer();
    try {
      expect((await server.fetch('/readyz')).status).toBe(200);
      server.services.readiness.drain();
      const answer = await server.fetch('/readyz');
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('5');
      expect((await server.fetch('/healthz')).status).toBe(200);
    } finally {
      await server.close();
    }
  });
});
