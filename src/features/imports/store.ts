/* What an import needs to know: the endpoint it goes to, and which events are there already. */
import type { Client } from '@libsql/client';

export type Target = { seq: number; teamId: string; plan: 'free' | 'pro' };

/** An event that is there, as far as being the same depends on it. */
export type Existing = {
  receivedAt: number;
  method: string;
  path: string;
  query: string | null;
  /** In hex. */
  sha256: string;
  encoding: number;
  content: Uint8Array;
};

export type ImportsStore = ReturnType<typeof createImportsStore>;

const latin1 = (value: unknown): string => Buffer.from(value as ArrayBuffer).toString('latin1');

export function createImportsStore(client: Pick<Client, 'execute'>) {
  return {
    /** The live endpoint with this id, whoever owns it. */
    async target(id: string): Promise<Target | undefined> {
      const { rows } = await client.execute({
        sql: `SELECT e.seq, e.team_id, t.plan FROM endpoints e JOIN teams t ON t.id = e.team_id
              WHERE e.id = ? AND e.deleted_at IS NULL`,
        args: [id],
      });
      const [row] = rows;
      return row && { seq: Number(row[0]), teamId: String(row[1]), plan: row[2] === 'pro' ? 'pro' : 'free' };
    },

    /** The endpoint's events received at one of these times. */
    async receivedAt(endpoint: number, times: readonly number[]): Promise<Existing[]> {
      const { rows } = await client.execute({
        sql: `SELECT received_at, method, path, query, lower(hex(sha256)), encoding, content FROM events
              WHERE endpoint = ? AND received_at IN (${times.map(() => '?').join(', ')})`,
        args: [endpoint, ...times],
      });
      return rows.map(row => ({
        receivedAt: Number(row[0]),
        method: String(row[1]),
        path: latin1(row[2]),
        query: row[3] === null ? null : latin1(row[3]),
        sha256: String(row[4]),
        encoding: Number(row[5]),
        content: new Uint8Array(row[6] as ArrayBuffer),
      }));
    },
  };
}
