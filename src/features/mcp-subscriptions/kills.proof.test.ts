/* kill -9 of the server and of the receiver, short: scripts/proofs/mcp-subscriptions.ts has the long one. */
import { expect, test } from 'bun:test';
import { isRemote } from '../../testing/remote/databases.ts';
import { killWhileDelivering } from '../../testing/subscription-kills.ts';

const main = new URL('../../main.ts', import.meta.url).pathname;

test.skipIf(isRemote)(
  'after kill -9 of the server and of the receiver every event arrives',
  async () => {
    const random = ((seed: number) => () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    })(5);
    const result = await killWhileDelivering({ command: [process.execPath, main], events: 120, kills: 3, random });
    expect(result.problems).toEqual([]);
    expect(result.stored).toBeGreaterThanOrEqual(120);
  },
  240_000,
);
