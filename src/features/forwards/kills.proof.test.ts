/* kill -9 while events are forwarded, short: scripts/proofs/forwards.ts has the long one. */
import { expect, test } from 'bun:test';
import { killWhileForwarding } from '../../testing/forward-kills.ts';
import { isRemote } from '../../testing/remote/databases.ts';

const main = new URL('../../main.ts', import.meta.url).pathname;

test.skipIf(isRemote)(
  'after kill -9 every event arrives at both destinations, in order where it is ordered',
  async () => {
    const random = ((seed: number) => () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    })(7);
    const result = await killWhileForwarding({ command: [process.execPath, main], events: 120, kills: 3, random });
    expect(result.problems).toEqual([]);
    expect(result.stored).toBeGreaterThanOrEqual(120);
  },
  120_000,
);
