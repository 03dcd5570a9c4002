/* Fills the database of a stopped server, and measures the CPU time of the restarted server while nothing happens. */
import { Database } from 'bun:sqlite';
import { chownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/testing/free-port.ts';
import { cpuMs } from '../lib/process.ts';
import { startRecorder } from './recorder.ts';

/** After a start, everything that is configured may be looked at once. */
const settleMs = 10_000;

/**
 * @param seed adds rows; the first team and account exist
 * @param ms for how long the CPU time is measured
 * @returns percent of a core
 */
export async function idleCpuPercent(binary: string, seed: (db: Database) => void, ms: number): Promise<number> {
  const { installation, server, remove } = await startRecorder(binary);
  try {
    await server.stop();
    const file = join(installation.dataDir, 'hooktape.db');
    const { uid, gid } = statSync(file);
    const db = new Database(file);
    db.transaction(seed)(db);
    db.close();
    for (const name of readdirSync(installation.dataDir)) chownSync(join(installation.dataDir, name), uid, gid);
    const { pid, stop } = await installation.start(await freePort());
    await Bun.sleep(settleMs);
    const used = await cpuMs(pid, ms);
    await stop();
    return (used / ms) * 100;
  } finally {
    await remove();
  }
}

/** Adds endpoints without events. @returns their row numbers */
export function addEndpoints(db: Database, count: number): number[] {
  const insert = db.query<{ seq: number }, [string]>(
    `INSERT INTO endpoints (id, team_id, name, token, created_at)
     SELECT 'ep_' || ?1, id, 'quiet', 'token-' || ?1, 0 FROM teams LIMIT 1 RETURNING seq`,
  );
  return Array.from({ length: count }, (_, n) => insert.get(`seeded${n}`)?.seq ?? 0);
}
