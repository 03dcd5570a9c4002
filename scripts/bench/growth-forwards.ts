/* CPU time of a server with many forwards of endpoints that get no events. */
import type { Database } from 'bun:sqlite';
import { addEndpoints, idleCpuPercent } from './growth-seed.ts';

const count = 1000;

const seed = (db: Database) => {
  const insert = db.query(
    `INSERT INTO forwards (id, endpoint, name, url, filter, mode, sign, headers, timeout_s, retry, per, enabled, since, position, created_at)
     VALUES (?, ?, X'61', CAST('http://127.0.0.1:9/' AS BLOB), X'', 'parallel', 'as-captured', X'', 30,
       '{"for":"24h","first":"10s","max":"1h"}', 'event', 1, 0, 0, 0)`,
  );
  const queue = db.query(`INSERT INTO queues (kind, owner, team_id) SELECT 'forward', ?, id FROM teams LIMIT 1`);
  for (const endpoint of addEndpoints(db, count)) {
    insert.run(`fwd_${endpoint}`, endpoint);
    queue.run(`fwd_${endpoint}`);
  }
};

export async function growthForwards(
  binary: string,
  seconds = 40,
): Promise<{ name: string; value: number; unit: string }[]> {
  const value = await idleCpuPercent(binary, seed, seconds * 1000);
  return [{ name: `CPU with ${count} idle forwards`, value, unit: '% of a core' }];
}
