/* Is every stored body the one that came? Each is unpacked and held against the size and the SHA-256 of its arrival. */
import type { Client, Row } from '@libsql/client';
import { eventId } from '../../core/ids.ts';
import { DamagedError, unpackIntact } from '../../core/stored-content.ts';

/** So many events, or bytes as they are stored, are read at once: a moment's work, between which others have theirs. */
const atOnce = { events: 128, bytes: 512 << 10 };
const shown = 100;

/** @returns a line for each of the first hundred that are not, and one for all further ones */
export async function contentProblems(client: Client): Promise<string[]> {
  const problems: string[] = [];
  let further = 0;
  for await (const row of eventsOf(client)) {
    const problem = problemOf(row);
    if (problem === undefined) continue;
    if (problems.length < shown) problems.push(`event ${eventId(Number(row[0]), bytes(row[1]), 0)}: ${problem}`);
    else further++;
  }
  return further > 0 ? [...problems, `and ${further} more`] : problems;
}

async function* eventsOf(client: Client): AsyncGenerator<Row> {
  let after = 0;
  for (;;) {
    // The length of a blob is known without reading it.
    const sizes = await client.execute({
      sql: 'SELECT seq, length(content) FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
      args: [after, atOnce.events],
    });
    let [last, total] = [after, 0];
    for (const row of sizes.rows) {
      total += Number(row[1]);
      if (total > atOnce.bytes && last > after) break;
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
    return body.length === Number(row[3]) ? undefined : 'its size is not the one that came';
  } catch (error) {
    if (error instanceof DamagedError) return error.message;
    throw error;
  }
}

const bytes = (value: unknown): Uint8Array => new Uint8Array(value as ArrayBuffer);
