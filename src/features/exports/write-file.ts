/*
 * Writes an export file as a stream of bytes, only as fast as it is read. When reading the history fails, the stream fails,
 * so that an incomplete file is never taken for a complete one.
 */

import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { eventId } from '../../core/ids/ids.ts';
import { createChunks } from '../../core/json/output.ts';
import type { DamagedEvents, ExportedEvent, FileFormat, FileSubject } from './file-format.ts';
import type { ExportRow } from './store.ts';

const maxNamedEvents = 1000;

export type FileOptions = {
  format: FileFormat;
  subject: FileSubject;
  history: AsyncIterable<ExportRow[]>;
  matches: (event: ExportedEvent) => boolean | Promise<boolean>;
  yieldIfDue: YieldIfDue;
  /** Called at the end if there are damaged events, of which the file has only the ids. */
  onDamaged: (damaged: DamagedEvents) => void;
};

/** Returns only the id if the event is damaged. */
function toEvent(row: ExportRow): ExportedEvent | string {
  const id = eventId(row.seq, row.nonce);
  return row.content ? { id, row, ...row.content } : id;
}

/** @returns chunks that do not share memory */
export async function* writeFile(options: FileOptions): AsyncGenerator<Uint8Array> {
  const { format, subject, history, matches, yieldIfDue, onDamaged } = options;
  const chunks = createChunks();
  chunks.text(format.head(subject));
  let separator = '';
  let damaged: DamagedEvents | undefined;
  // Awaited only when there is a pause: this loop runs for millions of rows.
  let pause: Promise<void> | undefined;
  for await (const rows of history)
    for (const row of rows) {
      pause = yieldIfDue();
      if (pause) await pause;
      const event = toEvent(row);
      if (typeof event === 'string') {
        damaged ??= { count: 0, ids: [] };
        if (++damaged.count <= maxNamedEvents) damaged.ids.push(event);
        continue;
      }
      const isMatch = matches(event);
      if (!(isMatch === true || (isMatch && (await isMatch)))) continue;
      chunks.text(separator);
      separator = format.separator;
      for (const piece of format.event(event, subject)) {
        if (typeof piece === 'string') chunks.text(piece);
        else if ('verbatim' in piece) chunks.verbatim(piece.verbatim);
        else
          for (const chunk of chunks.escaped(piece)) {
            yield chunk;
            pause = yieldIfDue();
            if (pause) await pause;
          }
        if (!chunks.isFull()) continue;
        yield chunks.take();
        pause = yieldIfDue();
        if (pause) await pause;
      }
    }
  if (damaged) onDamaged(damaged);
  chunks.text(format.tail(damaged));
  yield chunks.take();
}
