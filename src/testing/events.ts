/* Stores many events without a socket, for tests in which only their times and sizes matter. */
import { nonceBytes } from '../core/ids/ids.ts';
import type { NewEvent } from '../ingest/row-encoder.ts';
import { randomBytes, type TestServer } from './test-server.ts';

/** Stores `count` deliveries. @param receivedAt the time of all events, or a function of their number @returns their ids */
export async function recordMany(
  { services }: TestServer,
  endpointId: string,
  count: number,
  { receivedAt, bodyBytes = 20 }: { receivedAt: number | ((n: number) => number); bodyBytes?: number },
): Promise<string[]> {
  const { rows } = await services.database.client.execute({
    sql: 'SELECT seq, token FROM endpoints WHERE id = ?',
    args: [endpointId],
  });
  const address = { seq: Number(rows[0]?.[0]), token: String(rows[0]?.[1]) };
  const recorded = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      services.capture.record(address, {
        method: 'POST',
        path: '',
        query: null,
        fields: new Uint8Array(0),
        // Random, so that it cannot be compressed.
        body: bodyBytes > 100 ? services.random(bodyBytes) : Buffer.from(`{"number":${n}}`),
        sourceIp: '127.0.0.1',
        receivedAt: typeof receivedAt === 'number' ? receivedAt : receivedAt(n),
      }),
    ),
  );
  return recorded.map(({ id }) => id);
}

/** An empty event as an import adds it. @param endpoint its row number */
export const importedEvent = (endpoint: number): NewEvent => ({
  nonce: randomBytes(nonceBytes),
  endpoint,
  receivedAt: Date.now(),
  method: 'POST',
  platform: null,
  eventType: null,
  verdict: null,
  sourceIp: '',
  path: '',
  query: null,
  delivery: 4 * endpoint,
  headersJson: '[]',
  body: new Uint8Array(),
});

/** Every row of a query, as plain arrays. */
export async function rowsOf({ services }: TestServer, sql: string): Promise<unknown[][]> {
  const { rows, columns } = await services.database.client.execute(sql);
  return rows.map(row => columns.map((_, i) => row[i]));
}
