/* kill -9 in every minute of an outage, short: scripts/proofs/forwards-outage.ts has the long one. */
import { expect, test } from 'bun:test';
import { killDuringOutage } from '../../testing/forward-outage.ts';
import { isRemote } from '../../testing/remote/databases.ts';

test.skipIf(isRemote)(
  'after an outage with kill -9 in every minute every event arrives at both destinations, in order where it is ordered',
  async () => {
    const random = ((seed: number) => () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    })(11);
    const result = await killDuringOutage({ perSecond: 2, minutes: 4, drainKills: 0, random });
    expect(result).toMatchObject({ problems: [], acknowledged: 480, stateWhileDown: ['probing', 'probing'] });
    expect(result.kills).toBeGreaterThanOrEqual(4);
  },
  120_000,
);
