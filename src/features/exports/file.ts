/*
 * The file as a stream of bytes. It is made only as fast as it is read; when reading the history fails the stream fails, so
 * that what was sent is never taken for the whole.
 */
import { eventId } from '../../core/ids.ts';
import { unpackContent } from '../../core/stored-content.ts';
import type { ExportedEvent, FileFormat, FileSubject } from './format.ts';
import type { ExportRow } from './store.ts';

const chunkCharacters = 256 << 10;

export type FileOptions = {
  format: FileFormat;
  subject: FileSubject;
  history: AsyncIterable<ExportRow[]>;
  matches: (event: ExportedEvent) => boolean;
};

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

const toEvent = (row: ExportRow): ExportedEvent => ({
  id: eventId(row.seq, row.nonce),
  row,
  path: latin1(row.path),
  query: row.query === null ? null : latin1(row.query),
  ...unpackContent(row.encoding, row.content),
});

/** Chunks of about 256 KiB. */
export async function* writeFile({ format, subject, history, matches }: FileOptions): AsyncGenerator<Uint8Array> {
  let text = format.head(subject);
  let separator = '';
  for await (const rows of history)
    for (const row of rows) {
      const event = toEvent(row);
      if (!matches(event)) continue;
      text += separator;
      separator = format.separator;
      for (const piece of format.event(event, subject)) {
        text += piece;
        if (text.length < chunkCharacters) continue;
        yield Buffer.from(text);
        text = '';
      }
    }
  yield Buffer.from(text + format.tail);
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
