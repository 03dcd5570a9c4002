/* CPU time of a server with many alerts on endpoints that get no events. */
import type { Database } from 'bun:sqlite';
import { addEndpoints, idleCpuPercent } from './growth-seed.ts';

const counts = [1000, 20_000];
/** Minutes of silence that no measurement lasts. */
const longMinutes = 10_080;

const seed = (count: number) => (db: Database) => {
  const rules = [
    ['silence', longMinutes, null],
    ['bad_signatures', 5, 3],
    ['new_type', null, null],
    ['schema_change', null, null],
    ['forward_stuck', 5, null],
  ] as const;
  const state = { quietSince: 0, pausedSince: null, bad: [], isFiring: false, pending: 0, items: [], notifiedAt: null };
  const insert = db.query(
    `INSERT INTO alerts (id, endpoint, name, kind, filter, minutes, count, channel_type, channel, enabled, position, state, created_at)
     VALUES (?, ?, 'quiet', ?, X'', ?, ?, 'slack', X'', 1, 0, ?, 0)`,
  );
  for (const endpoint of addEndpoints(db, count / rules.length))
    for (const [kind, minutes, most] of rules)
      insert.run(`alr_${endpoint}_${kind}`, endpoint, kind, minutes, most, Buffer.from(JSON.stringify(state)));
  // As after the first check, which would take up the whole measurement. Earlier versions have no due times.
  const hasDueTimes = db.query("SELECT 1 FROM pragma_table_info('alerts') WHERE name = 'due_at'").get() !== null;
  if (hasDueTimes) db.run(`UPDATE alerts SET due_at = iif(kind = 'silence', ${longMinutes * 60_000}, NULL)`);
};

export async function growthAlerts(
  binary: string,
  seconds = 20,
): Promise<{ name: string; value: number; unit: string }[]> {
  const found = [];
  for (const count of counts) {
    const value = await idleCpuPercent(binary, seed(count), seconds * 1000);
    found.push({ name: `CPU with ${count} idle alerts`, value, unit: '% of a core' });
  }
  return found;
}
