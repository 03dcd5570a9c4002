/* Events and a packer on a real database, for tests of packing. */
import { expect } from 'bun:test';
import type { SignBlock } from '../core/blocks/event-block.ts';
import { contentProblems } from '../db/checks/content-check.ts';
import { type ContentRow, createContentReader } from '../db/contents.ts';
import { createPackingService } from '../features/packing/service.ts';
import { createPackingStore, type PackingStore } from '../features/packing/store.ts';
import { createRetentionStore } from '../features/retention/store.ts';
import type { NewEvent } from '../ingest/row-encoder.ts';
import { insertStatements, packBlocks, packRows } from '../ingest/store.ts';
import { rowsOf } from './events.ts';
import type { TestServer } from './test-server.ts';

export type Given = { endpoint: number; size: number; compresses: boolean };
let made = 0;

export function packedEvent({ endpoint, size, compresses }: Given): NewEvent {
  const n = ++made;
  const body = compresses ? Buffer.alloc(size, `{"number":${n}}`) : crypto.getRandomValues(Buffer.alloc(size % 65537));
  return {
    nonce: crypto.getRandomValues(new Uint8Array(12)),
    endpoint,
    receivedAt: 1_700_000_000_000 + (n % 7),
    method: 'POST',
    platform: null,
    eventType: n % 2 ? `type ${n}` : null,
    verdict: null,
    sourceIp: n % 3 ? '127.0.0.1' : '',
    path: n % 2 ? `/p/${n}\xff` : '',
    query: n % 3 ? null : `q=${n}`,
    delivery: n,
    headersJson: JSON.stringify([['X-N', String(n)]]),
    body,
  };
}

/** Row number -> the event that must be read. */
export type Expected = Map<number, NewEvent>;

export async function insertEvents(
  server: TestServer,
  events: readonly NewEvent[],
  expected: Expected,
): Promise<number[]> {
  const [row] = await rowsOf(server, "SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'");
  await server.services.database.client.batch(insertStatements(packRows(events)), 'write');
  const seqs = events.map((_, i) => Number(row?.[0]) + 1 + i);
  for (const [i, one] of events.entries()) expected.set(seqs[i] ?? 0, one);
  return seqs;
}

/** Marks all rows to be packed, like an upgrade. */
export const markRowsToPack = ({ services }: TestServer) =>
  services.database.client.execute(
    `INSERT OR REPLACE INTO meta (name, value)
     SELECT 'rows-to-pack', CAST(json_object('after', low - 1, 'upTo', high) AS BLOB)
     FROM (SELECT (SELECT min(seq) FROM events) AS low, (SELECT max(seq) FROM events) AS high) WHERE high IS NOT NULL`,
  );

export async function removeEvents(server: TestServer, seqs: readonly number[], expected: Expected): Promise<void> {
  for (const [endpoint, ofEndpoint] of Map.groupBy(seqs, seq => expected.get(seq)?.endpoint ?? 0))
    await createRetentionStore(server.services.database).remove({ endpoint, withPinned: false }, ofEndpoint);
  for (const seq of seqs) expected.delete(seq);
}

/** @param around wraps the store */
export function createTestPacker(
  server: TestServer,
  around: (store: PackingStore) => PackingStore = store => store,
  sign: SignBlock | null = null,
) {
  const store = createPackingStore(server.services.database, (endpoint, blocks) =>
    insertStatements(packBlocks(endpoint, blocks)),
  );
  let slice: () => Promise<unknown> = async () => 'done';
  createPackingService({
    store: around(store),
    sign,
    monotonic: () => 0,
    isBusy: () => false,
    background: {
      add: job => {
        slice = job.slice;
        return { wake: () => {} };
      },
    },
  });
  return {
    slice: () => slice(),
    run: async () => {
      for (let slices = 0; (await slice()) !== 'done'; slices++) if (slices > 2000) throw new Error('it does not end');
    },
  };
}

/** Expects that all events are stored byte for byte, and that `hooktape check` finds no problem. */
export async function expectEvents({ services }: TestServer, expected: Expected): Promise<void> {
  const { client } = services.database;
  const { rows } = await client.execute('SELECT * FROM events ORDER BY seq');
  expect(rows.map(row => Number(row['seq']))).toEqual([...expected.keys()].sort((a, b) => a - b));
  const bytes = (value: unknown) => (value === null ? null : Buffer.from(value as ArrayBuffer));
  const places = rows.map(row => {
    const { content, path, query, sha256 } = row;
    const own = { content: bytes(content), path: bytes(path), query: bytes(query), sha256: bytes(sha256) };
    return { ...row, ...own, blockStart: row['block_start'], sourceIp: row['source_ip'] } as unknown as ContentRow;
  });
  const found = await createContentReader(client).readIntact(places);
  for (const [seq, one] of expected) {
    const content = found.get(seq);
    if (!content || content instanceof Error) throw new Error(`event ${seq}: ${content}`);
    const text = [content.path.toString('latin1'), content.query?.toString('latin1') ?? null, content.sourceIp];
    expect([...text, content.headersJson]).toEqual([one.path, one.query, one.sourceIp, one.headersJson]);
    expect(Buffer.compare(content.body, one.body)).toBe(0);
  }
  expect(await contentProblems(client)).toEqual([]);
}
