/* Changes how events are stored, for tests of damage on disk and of rows that 1.0 wrote. */
import type { Client } from '@libsql/client';
import { createBlockBuilder, type EventRecord, readRecord, unpackBlock } from '../core/blocks/event-block.ts';
import { sha256 } from '../core/encoding/sha256.ts';
import type { HeaderPair } from '../core/headers.ts';
import { previewOf } from '../core/text.ts';
import { blockColumns, toStoredBlock } from '../db/contents.ts';
import { removeAttemptsSql } from '../db/delivery-attempts.ts';

async function recordOf(client: Client, seq: number): Promise<EventRecord> {
  const { rows } = await client.execute({
    sql: `SELECT (SELECT block_start FROM events WHERE seq = ?1), ${blockColumns} FROM blocks
          WHERE seq = (SELECT block FROM events WHERE seq = ?1)`,
    args: [seq],
  });
  const [row] = rows;
  if (!row) throw new Error(`event ${seq} is not in a block`);
  const block = toStoredBlock(row, 1);
  return readRecord(unpackBlock(block), Number(row[0]), block.firstEvent);
}

/** Takes these events out of their blocks. */
const leaveBlock = (seq: number) => [
  { sql: 'UPDATE blocks SET events = events - 1 WHERE seq = (SELECT block FROM events WHERE seq = ?)', args: [seq] },
  'DELETE FROM blocks WHERE events = 0',
];

/** Moves an event to a separate block and damages that. Other events stay readable. */
export async function damageEvent(client: Client, seq: number, how: 'another body' | 'unreadable'): Promise<void> {
  const builder = createBlockBuilder();
  builder.addTail(seq, (await recordOf(client, seq)).tail, { receivedAt: 0, eventType: null, body: new Uint8Array() });
  const { bytes, content, encoding, checksum } = builder.take(null);
  const records = Buffer.from(encoding === 1 ? Bun.zstdDecompressSync(content as Uint8Array<ArrayBuffer>) : content);
  records[records.length - 1] = (records.at(-1) ?? 0) ^ 1;
  const damaged = how === 'unreadable' ? Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0) : records;
  await client.batch(
    [
      ...leaveBlock(seq),
      {
        sql: `INSERT INTO blocks (endpoint, first_event, last_event, events, bytes, encoding, checksum, content)
              SELECT endpoint, seq, seq, 1, ?, ?, ?, ? FROM events WHERE seq = ?`,
        args: [bytes, how === 'unreadable' ? 1 : 0, checksum, damaged, seq],
      },
      { sql: 'UPDATE events SET block = last_insert_rowid(), block_start = 0 WHERE seq = ?', args: [seq] },
      {
        sql: `INSERT INTO block_signatures (block, endpoint, newest, oldest, last_event, bytes, filter)
              SELECT block, endpoint, received_at, received_at, seq, ?, x'' FROM events WHERE seq = ?`,
        args: [bytes, seq],
      },
    ],
    'write',
  );
}

/** Stores events as 1.0 did: each row has its own content. */
export async function storeAsRows(client: Client, seqs: readonly number[]): Promise<void> {
  for (const seq of seqs) {
    const { headers, body, path, query, sourceIp } = await recordOf(client, seq);
    const { encoding, content } = packContent(JSON.parse(headers.toString()) as HeaderPair[], body);
    await client.batch(
      [
        ...leaveBlock(seq),
        { sql: removeAttemptsSql('?'), args: [seq] },
        {
          sql: `UPDATE events SET block = NULL, block_start = NULL, delivery = NULL, encoding = ?, content = ?, preview = ?, path = ?, query = ?,
                                  source_ip = ?, sha256 = ? WHERE seq = ?`,
          args: [encoding, content, previewOf(body), path, query, sourceIp, sha256(body), seq],
        },
      ],
      'write',
    );
  }
}

/** The content of a row of 1.0. */
export function packContent(pairs: readonly HeaderPair[], body: Uint8Array): { encoding: number; content: Uint8Array } {
  const headers = Buffer.from(JSON.stringify(pairs));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(headers.length);
  const plain = Buffer.concat([length, headers, body]);
  const packed = Bun.zstdCompressSync(plain, { level: 1 });
  return plain.length >= 200 && packed.length < plain.length * 0.9
    ? { encoding: 1, content: packed }
    : { encoding: 0, content: plain };
}
