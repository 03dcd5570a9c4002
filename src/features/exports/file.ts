/*
 * The file as a stream of bytes. It is made only as fast as it is read; when reading the history fails the stream fails, so
 * that what was sent is never taken for the whole.
 */
import { eventId } from '../../core/ids.ts';
import { escapeJson, maxEscapedBytes } from '../../core/json-escape.ts';
import { unpackIfIntact } from '../../core/stored-content.ts';
import type { Damaged, ExportedEvent, FileFormat, FileSubject } from './format.ts';
import type { Turn } from './pace.ts';
import type { ExportRow } from './store.ts';

const chunkBytes = 256 << 10;
/** A chunk with less room than this counts as full. */
const reservedBytes = 16 << 10;
const mostNamed = 1000;

export type FileOptions = {
  format: FileFormat;
  subject: FileSubject;
  history: AsyncIterable<ExportRow[]>;
  matches: (event: ExportedEvent) => boolean | Promise<boolean>;
  turn: Turn;
  /** Told at the end of the events that the disk has altered, when there are any: the file names them instead. */
  onDamaged: (damaged: Damaged) => void;
};

/** Its id alone when the disk has altered it. */
function toEvent(row: ExportRow): ExportedEvent | string {
  const id = eventId(row.seq, row.nonce);
  const content = unpackIfIntact(row);
  return content ? { id, row, ...content } : id;
}

/** In chunks of about `chunkBytes`, each of its own memory. */
export async function* writeFile({
  format,
  subject,
  history,
  matches,
  turn,
  onDamaged,
}: FileOptions): AsyncGenerator<Uint8Array> {
  const chunks = createChunks();
  chunks.text(format.head(subject));
  let separator = '';
  let damaged: Damaged | undefined;
  // Awaited only where there is something to wait for: this runs for millions of rows.
  let pause: Promise<void> | undefined;
  for await (const rows of history)
    for (const row of rows) {
      pause = turn();
      if (pause) await pause;
      const event = toEvent(row);
      if (typeof event === 'string') {
        damaged ??= { count: 0, ids: [] };
        if (++damaged.count <= mostNamed) damaged.ids.push(event);
        continue;
      }
      const isMatch = matches(event);
      if (!(isMatch === true || (isMatch && (await isMatch)))) continue;
      chunks.text(separator);
      separator = format.separator;
      for (const piece of format.event(event, subject)) {
        if (typeof piece === 'string') chunks.text(piece);
        else
          for (const chunk of chunks.escaped(piece)) {
            yield chunk;
            pause = turn();
            if (pause) await pause;
          }
        if (chunks.isFull()) yield chunks.take();
      }
    }
  if (damaged) onDamaged(damaged);
  chunks.text(format.tail(damaged));
  yield chunks.take();
}

function createChunks() {
  let chunk = Buffer.allocUnsafeSlow(chunkBytes);
  let length = 0;
  const take = (): Uint8Array => {
    const taken = chunk.subarray(0, length);
    chunk = Buffer.allocUnsafeSlow(chunkBytes);
    length = 0;
    return taken;
  };
  return {
    take,
    isFull: (): boolean => length > chunkBytes - reservedBytes,
    text(text: string): void {
      // In UTF-8 a UTF-16 unit takes up to three bytes.
      const needed = length + 3 * text.length;
      if (needed > chunk.length) chunk = Buffer.concat([chunk.subarray(0, length)], needed);
      length += chunk.write(text, length);
    },
    *escaped(bytes: Uint8Array): Generator<Uint8Array> {
      for (let start = 0; start < bytes.length; ) {
        const fits = Math.floor((chunk.length - length) / maxEscapedBytes);
        const end = Math.min(bytes.length, start + fits);
        length = escapeJson(bytes, start, end, chunk, length);
        start = end;
        if (start < bytes.length && length > chunk.length - reservedBytes) yield take();
      }
    },
  };
}

/** @param onEnd called once, when the stream ends, fails or is given up */
export function toStream(chunks: AsyncGenerator<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (!done) return controller.enqueue(value);
          onEnd();
          controller.close();
        } catch (error) {
          onEnd();
          controller.error(error);
        }
      },
      cancel: onEnd,
    },
    { highWaterMark: 1 },
  );
}
