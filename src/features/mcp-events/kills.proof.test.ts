/* kill -9 while clients of MCP Events read, short: scripts/proofs/mcp-events.ts has the long one. */
import { expect, test } from 'bun:test';
import { killWhileReadingEvents } from '../../testing/events-kills.ts';
import { isRemote } from '../../testing/remote/databases.ts';

const main = new URL('../../main.ts', import.meta.url).pathname;

test.skipIf(isRemote)(
  'after kill -9 polls and streams go on after their cursors, and miss nothing',
  async () => {
    const random = ((seed: number) => () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    })(7);
    const result = await killWhileReadingEvents({ command: [process.execPath, main], events: 120, kills: 3, random });
    expect(result.problems).toEqual([]);
    expect(result.stored).toBeGreaterThanOrEqual(120);
    expect(result.streams).toBeGreaterThanOrEqual(3);
  },
  120_000,
);
