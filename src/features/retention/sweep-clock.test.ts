/* A wall clock that jumps ahead must not make the sweeper delete history. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HeldClock, holdClock } from '../../testing/clock.ts';
import { recordMany, rowsOf } from '../../testing/events.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { createSweepClock, holdMs, type SeenClock } from './sweep-clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A sweep clock on a fake clock; `restart` is another process on the same database. */
async function open(clock: HeldClock = holdClock(), saved: { seen?: SeenClock | undefined } = {}) {
  const calls: string[] = [];
  const sweepClock = createSweepClock({
    clock,
    store: {
      seenClock: async () => saved.seen,
      saveSeenClock: async seen => {
        saved.seen = JSON.parse(JSON.stringify(seen)) as SeenClock;
      },
    },
    onJump: ms => calls.push(`ahead ${ms / hour}`),
    onTrusted: () => calls.push('settled'),
  });
  await sweepClock.read();
  /** Lets time pass, and calls `watch` every minute. */
  const run = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += minute) {
      clock.advance(minute);
      await sweepClock.watch();
    }
  };
  return { clock, saved, calls, run, now: sweepClock.now, restart: () => open(clock, saved) };
}

describe('the sweeper’s clock', () => {
  test('is the wall clock while that runs evenly, is corrected a little, or goes back', async () => {
    const { clock, now, run, calls } = await open();
    await run(day);
    for (const step of [3000, -3000, 10 * minute, -5 * hour]) {
      clock.setNow(clock.now() + step);
      expect(now()).toBe(clock.now());
      clock.advance(minute);
      expect(now()).toBe(clock.now());
    }
    expect(calls).toEqual([]);
  });

  test('continues evenly when the wall clock jumps ahead, until the jump has lasted an hour', async () => {
    const { clock, now, run, calls } = await open();
    const before = clock.now();
    clock.setNow(before + 30 * day);
    expect(now()).toBe(before);
    await run(holdMs - minute);
    expect(now()).toBe(before + holdMs - minute);
    expect(calls).toEqual([`ahead ${30 * 24}`]);
    await run(minute);
    expect(now()).toBe(clock.now());
    expect(calls).toEqual([`ahead ${30 * 24}`, 'settled']);
  });

  test('does not follow a jump that is corrected within the hour', async () => {
    const { clock, now, run, calls } = await open();
    clock.setNow(clock.now() + 30 * day);
    await run(50 * minute);
    clock.setNow(clock.now() - 30 * day);
    expect(now()).toBe(clock.now());
    await run(day);
    expect(calls).toEqual([`ahead ${30 * 24}`, 'settled']);
  });

  test('starts the hour again when the wall clock jumps again', async () => {
    const { clock, now, run } = await open();
    clock.setNow(clock.now() + 30 * day);
    await run(50 * minute);
    clock.setNow(clock.now() + 30 * day);
    await run(50 * minute);
    expect(now()).toBe(clock.now() - 60 * day);
    // The second jump was noticed a minute later.
    await run(11 * minute);
    expect(now()).toBe(clock.now());
  });

  test('notices a jump across a restart, but accepts a short downtime', async () => {
    const first = await open();
    await first.run(10 * minute);
    first.clock.advance(5 * minute);
    const second = await first.restart();
    expect(second.now()).toBe(first.clock.now());

    first.clock.advance(31 * day);
    const third = await second.restart();
    expect(third.now()).toBeLessThan(first.clock.now() - 30 * day);
    await third.run(hour);
    expect(third.now()).toBe(first.clock.now());
  });

  test('counts the whole hour again when the clock was right after a restart, and jumps later', async () => {
    const first = await open();
    first.clock.setNow(first.clock.now() + 30 * day);
    await first.run(56 * minute);
    first.clock.setNow(first.clock.now() - 30 * day);
    const { clock, run, now } = await first.restart();
    await run(day);
    clock.setNow(clock.now() + 30 * day);
    await run(50 * minute);
    expect(now()).toBe(clock.now() - 30 * day);
  });

  test('counts the hour across restarts', async () => {
    let { clock, run, restart, now } = await open();
    await run(10 * minute);
    let days = 0;
    for (; days < 5 && (days === 0 || now() !== clock.now()); days++) {
      clock.advance(day);
      ({ run, restart, now } = await restart());
      await run(25 * minute);
    }
    expect(days).toBe(3);
  });
});

describe('the sweeper', () => {
  const stored = async (server: TestServer): Promise<unknown> =>
    (await rowsOf(server, 'SELECT count(*) FROM events'))[0]?.[0];
  const sweep = async (server: TestServer): Promise<void> => {
    server.services.retention.wake();
    await server.services.background.idle();
  };

  test('removes no expired events after a jump and logs a warning, but still removes deleted endpoints', async () => {
    const clock = holdClock();
    const server = await openTestServer({ clock });
    try {
      const caller = await server.createAccount();
      const { id } = await caller.createEndpoint();
      const { id: deleted } = await caller.createEndpoint('deleted');
      await recordMany(server, id, 3, { receivedAt: clock.now() });
      await recordMany(server, deleted, 3, { receivedAt: clock.now() });
      clock.setNow(clock.now() + 400 * day);
      await caller.json(200, 'DELETE', `/api/endpoints/${deleted}`);
      await sweep(server);
      expect(await stored(server)).toBe(3);
      const warnings = server.lines.filter(({ message }) => message.startsWith('the system clock is ahead'));
      expect(warnings).toMatchObject([{ level: 'warn', fields: { aheadSeconds: (400 * day) / 1000 } }]);

      clock.advance(hour);
      await sweep(server);
      expect(await stored(server)).toBe(0);
    } finally {
      await server.close();
    }
  });

  test.skipIf(isRemote).each([true, false])(
    'waits when it is started with a clock that is far ahead (time saved before: %j)',
    async hasSaved => {
      const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
      const env = { HOOKTAPE_SECRET: 'the secret of this test, long enough' };
      const clock = holdClock();
      try {
        let server = await openTestServer({ directory, env, clock });
        const { id } = await (await server.createAccount()).createEndpoint();
        await recordMany(server, id, 3, { receivedAt: clock.now() });
        if (hasSaved) await server.services.sweepClock.watch();
        await server.close();

        clock.advance(400 * day);
        server = await openTestServer({ directory, env, clock });
        await sweep(server);
        expect(await stored(server)).toBe(3);
        clock.advance(hour);
        await sweep(server);
        expect(await stored(server)).toBe(0);
        await server.close();
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    },
  );
});
