/* What an import needs to know: the endpoint it goes to, and which events are there already. */

import type { Client, Row } from '@libsql/client';
import type { TeamAccess } from '../../core/principal.ts';

export type ImportTarget = TeamAccess & { seq: number };

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

const bytesAtOnce = 4 << 20;
/** Paths and queries count, too: each of these may have some 16 KB. */
const rowsAtOnce = 128;

const latin1 = (value: unknown): string => Buffer.from(value as ArrayBuffer).toString('latin1');

export function createImportsStore(client: Pick<Client, 'execute'>) {
  return {
    /** The live endpoint with this id, whoever owns it. */
    async target(id: string): Promise<ImportTarget | undefined> {
      const { rows } = await client.execute({
        sql: `SELECT e.seq, e.team_id, t.plan FROM endpoints e JOIN teams t ON t.id = e.team_id
              WHERE e.id = ? AND e.deleted_at IS NULL`,
        args: [id],
      });
      const [row] = rows;
      return row && { seq: Number(row[0]), teamId: String(row[1]), plan: row[2] === 'pro' ? 'pro' : 'free' };
    },

    /**
     * The endpoint's events that were received at one of these times and have one of these hashes (in hex). Contents come
     * a few megabytes at a time: more than that is neither held nor asked of a server, whose answers have their limit.
     */
    async *alike(endpoint: number, times: readonly number[], hashes: readonly string[]): AsyncGenerator<Existing> {
      const { rows: keys } = await client.execute({
        sql: `SELECT seq, length(content) FROM events
              WHERE endpoint = ? AND received_at IN (SELECT value FROM json_each(?))
                AND lower(hex(sha256)) IN (SELECT value FROM json_each(?))`,
        args: [endpoint, JSON.stringify(times), JSON.stringify(hashes)],
      });
      for (const seqs of slicesOf(keys)) {
        const { rows } = await client.execute({
          sql: `SELECT received_at, method, path, query, lower(hex(sha256)), encoding, content FROM events
                WHERE seq IN (SELECT value FROM json_each(?))`,
          args: [JSON.stringify(seqs)],
        });
        yield* rows.map(toExisting);
      }
    },
  };
}

/** Row numbers of contents that are read together. @param keys row number and bytes of content */
function* slicesOf(keys: readonly Row[]): Generator<number[]> {
  let seqs: number[] = [];
  let bytes = 0;
  for (const key of keys) {
    const size = Number(key[1]);
    if (seqs.length === rowsAtOnce || (seqs.length > 0 && bytes + size > bytesAtOnce)) {
      yield seqs;
      seqs = [];
      bytes = 0;
    }
    seqs.push(Number(key[0]));
    bytes += size;
  }
  if (seqs.length > 0) yield seqs;
}

const toExisting = (row: Row): Existing => ({
  receivedAt: Number(row[0]),
  method: String(row[1]),
  path: latin1(row[2]),
  query: row[3] === null ? null : latin1(row[3]),
  sha256: String(row[4]),
  encoding: Number(row[5]),
  content: new Uint8Array(row[6] as ArrayBuffer),
});
