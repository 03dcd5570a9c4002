/* A short version of scripts/proofs/jobs-kills.ts. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { proveKills } from '../../../scripts/proofs/jobs-kills.ts';
import { type JobsWorld, openJobsWorld } from '../../../scripts/proofs/jobs-world.ts';
import { isRemote } from '../../testing/remote/databases.ts';

const events = 200;
let world: JobsWorld;
beforeAll(async () => {
  if (isRemote) return;
  world = await openJobsWorld([process.execPath, join(import.meta.dir, '../../main.ts')], events);
}, 120_000);
afterAll(() => world?.close());

test.skipIf(isRemote)(
  'after a kill every event has arrived, and no more were doubled than were under way',
  async () => {
    const { kills, missing, doubled } = await proveKills(world, events, 1);
    expect([kills, missing]).toEqual([1, 0]);
    expect(Math.max(...doubled)).toBeLessThanOrEqual(8);
  },
  120_000,
);
