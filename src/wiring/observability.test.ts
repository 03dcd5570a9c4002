/* Readiness depends on a write that reaches the disk. */
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

test.skipIf(isRemote)('every readiness check writes to the write-ahead log', async () => {
  const walBytes = (): number => statSync(join(server.directory, 'hooktape.db-wal')).size;
  for (let look = 0; look < 3; look++) {
    const before = walBytes();
    expect(await server.services.readiness.problem()).toBeUndefined();
    expect(walBytes()).toBeGreaterThan(before);
    clock.advance(1000);
  }
});
