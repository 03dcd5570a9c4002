/* A short version of scripts/proofs/listen-kills.ts: server, listener, target and connection are each killed while events arrive. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { proveListening } from '../../../scripts/proofs/listen-kills.ts';

test('every event arrives, in order per map, and the position is past nothing that has not', async () => {
  const command = [process.execPath, join(import.meta.dir, '../../main.ts')];
  const { events, kills } = await proveListening(command, { events: 120, kills: 4 });
  expect(events).toBeGreaterThanOrEqual(120);
  expect(kills).toEqual({ server: 1, listener: 1, target: 1, connection: 1 });
}, 120_000);
