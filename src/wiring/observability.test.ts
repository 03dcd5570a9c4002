/* What readiness stands on: a write that reaches the disk. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type HeldClock, holdClock } from '../testing/clock.ts';
import { isRemote } from '../testing/remote/databases.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';

let clock: HeldClock;
let server: TestServer;
beforeAll(async () => {
  clock = holdClock();
  server = await openTestServer({ clock });
});
afterAll(() => server.close());

test.skipIf(isRemote)('every look writes: the log of the database file grows', async () => {
  const logBytes = (): number => statSync(join(server.directory, 'hooktape.db-wal')).size;
  for (let look = 0; look < 3; look++) {
    const before = logBytes();
    expect(await server.services.readiness.problem()).toBeUndefined();
    expect(logBytes()).toBeGreaterThan(before);
    clock.advance(1000);
  }
});
