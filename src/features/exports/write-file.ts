/*
 * The file as a stream of bytes. It is made only as fast as it is read; when reading the history fails the stream fails, so
 * that what was sent is never taken for the whole.
 */
import { eventId } from '../../core/ids.ts';
import { createChunks } from '../../core/json-output.ts';
import { unpackIfIntact } from '../../core/stored-content.ts';
import type { Turn } from '../../core/stream-pace.ts';
import type { DamagedEvents, ExportedEvent, FileFormat, FileSubject } from './file-format.ts';
import type { ExportRow } from './store.ts';

const mostNamed = 1000;

export type FileOptions = {
  format: FileFormat;
  subject: FileSubject;
  history: AsyncIterable<ExportRow[]>;
  matches: (event: ExportedEvent) => boolean | Promise<boolean>;
  turn: Turn;
  /** Told at the end of the events that the disk has altered, when there are any: the file names them instead. */
  onDamaged: (damaged: DamagedEvents) => void;
};

/** Its id alone when the disk has altered it. */
function toEvent(row: ExportRow): ExportedEvent | string {
  const id = eventId(row.seq, row.nonce);
  const content = unpackIfIntact(row);
  return content ? { id, row, ...content } : id;
}

/** In chunks, each of its own memory. */
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
  let damaged: DamagedEvents | undefined;
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
