/* On real timers, which may fire early. */
import { test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { createLeases } from './leases.ts';

test.each([0, 1])(
  'everything stops when the database never answers heartbeat %p',
  async answered => {
    let beats = 0;
    let stops = 0;
    const leases = createLeases({
      store: { beat: async () => (beats++ < answered ? [{ seq: 1, pausedAt: null }] : new Promise(() => {})) },
      holder: 'one',
      clock: { now: () => 0, monotonic: () => performance.now() },
      holdsAny: () => true,
      onHeld: held => {
        if (held.size === 0) stops++;
      },
      onError: error => {
        throw error;
      },
    });
    leases.start();
    await eventually(() => !leases.isAlive());
    await eventually(() => stops > 0);
    leases.stop();
  },
  120_000,
);
