/* Checks stored bodies: each is unpacked and compared with the size and the SHA-256 of the delivery. */
import type { Client, Row } from '@libsql/client';
import { eventId } from '../../core/ids.ts';
import { DamagedError, unpackIntact } from '../../core/stored-content.ts';

/** Read together; small enough that the thread is not held for long. */
const pageLimits = { events: 128, storedBytes: 512 << 10 };
const maxReported = 100;

/** @returns a line for each of the first hundred damaged events, and one that counts the others */
export async function contentProblems(client: Client): Promise<string[]> {
  const problems: string[] = [];
  let unreported = 0;
  for await (const row of readEvents(client)) {
    const problem = problemOf(row);
    if (problem === undefined) continue;
    if (problems.length < maxReported) problems.push(`event ${eventId(Number(row[0]), bytes(row[1]), 0)}: ${problem}`);
    else unreported++;
  }
  return unreported > 0 ? [...problems, `and ${unreported} more`] : problems;
}

async function* readEvents(client: Client): AsyncGenerator<Row> {
  let after = 0;
  for (;;) {
    // SQLite knows the length of a blob without reading it.
    const sizes = await client.execute({
      sql: 'SELECT seq, length(content) FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
      args: [after, pageLimits.events],
    });
    let [last, total] = [after, 0];
    for (const row of sizes.rows) {
      total += Number(row[1]);
      if (total > pageLimits.storedBytes && last > after) break;
      last = Number(row[0]);
    }
    if (last === after) return;
    const { rows } = await client.execute({
      sql: 'SELECT seq, nonce, encoding, size, sha256, content FROM events WHERE seq > ? AND seq <= ? ORDER BY seq',
      args: [after, last],
    });
    yield* rows;
    after = last;
  }
}

function problemOf(row: Row): string | undefined {
  try {
    const { body } = unpackIntact({ encoding: Number(row[2]), content: bytes(row[5]), sha256: bytes(row[4]) });
    return body.length === Number(row[3]) ? undefined : 'its size is not the one that was received';
  } catch (error) {
    if (error instanceof DamagedError) return error.message;
    throw error;
  }
}

const bytes = (value: unknown): Uint8Array => new Uint8Array(value as ArrayBuffer);
