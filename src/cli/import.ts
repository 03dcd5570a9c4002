/*
 * `hooktape import FILE --endpoint ID`: imports a JSON, NDJSON or HAR export into an endpoint, with or without a running server. The file
 * is streamed, with at most one batch in memory. If the file has an error, the events before it stay imported and are counted.
 */
import { createReadStream, statSync } from 'node:fs';
import { AppError, invalid } from '../core/errors.ts';
import { readEvent } from '../core/events/exported-event.ts';
import { decodeUtf8 } from '../core/text.ts';
import type { ImportResult } from '../features/imports/service.ts';
import { detect } from '../platforms/platforms.ts';
import { counted, printResult } from './client/output.ts';
import { type Call, withControl } from './control.ts';
import { fromHarEntry } from './import/har-entry.ts';
import { createElementReader, type Element, type FileKind } from './import/json-elements.ts';
import { exitCodes, type Io, OperationError, type Run } from './io.ts';
import { createProgress } from './progress.ts';
import { loadConfig } from './settings.ts';

const batchEvents = 500;
const batchBytes = 4 << 20;
/** Events with the same time stay in one batch, which may then be this many times larger. */
const maxOverfill = 8;

export const runImport: Run = async (given, io) => {
  const [file, endpoint = ''] = [given.argument(0), given.option('endpoint')];
  const size = file === '-' ? undefined : sizeOf(file);
  const { config } = loadConfig(io, given.envFile);
  const total = await withControl(io, config, 'hooktape import', call =>
    importFile({ io, call, file, size, endpoint }),
  );
  const { imported, alreadyThere, expired, tooLarge = 0, notPinned = 0 } = total;
  const counts = `${imported} imported, ${alreadyThere} already present, ${expired} older than the retention\n`;
  printResult(io, given, { endpoint, ...total }, counts);
  if (notPinned > 0 && !given.json)
    io.stderr(`hooktape: ${notPinned} not pinned: the team's limit of pinned events is reached\n`);
  if (tooLarge === 0) return exitCodes.done;
  if (!given.json) io.stderr(`hooktape: ${tooLarge} not imported: larger than the database supports\n`);
  return exitCodes.failed;
};

type Import = { io: Io; call: Call; file: string; size: number | undefined; endpoint: string };

async function importFile({ io, call, file, size, endpoint }: Import): Promise<ImportResult> {
  const total: ImportResult = { imported: 0, alreadyThere: 0, expired: 0 };
  const progress = createProgress(io, size);
  const reader = createElementReader();
  const batch = createBatch(async events => {
    const added = (await call('import.add', { endpoint, events })) as ImportResult;
    total.imported += added.imported;
    total.alreadyThere += added.alreadyThere;
    total.expired += added.expired;
    if (added.tooLarge !== undefined) total.tooLarge = (total.tooLarge ?? 0) + added.tooLarge;
    if (added.notPinned !== undefined) total.notPinned = (total.notPinned ?? 0) + added.notPinned;
  });
  let done = 0;
  try {
    // Report an unknown endpoint before reading gigabytes.
    await call('import.add', { endpoint, events: [] });
    for await (const chunk of file === '-' ? io.stdin() : createReadStream(file, { highWaterMark: 1 << 20 })) {
      for (const element of reader.push(chunk as Uint8Array))
        if (!isEndOfLines(element, reader.kind()))
          await batch.add(toEvent(element, reader.kind() ?? 'json'), element.bytes.length);
      done += (chunk as Uint8Array).length;
      progress.show(done, `${total.imported + total.alreadyThere + total.expired} events`);
    }
    reader.end();
    await batch.flush();
  } catch (error) {
    if (!(error instanceof AppError || error instanceof OperationError)) throw error;
    // The events before the error are valid.
    if (error instanceof AppError) await batch.flush();
    throw new OperationError(`${file}: ${error.message}; ${counted(total.imported, 'event')} imported before it`);
  } finally {
    progress.clear();
  }
  return total;
}

/** The last line of an NDJSON export that left out damaged events: it lists them. */
const isEndOfLines = ({ bytes }: Element, kind: FileKind | undefined): boolean =>
  kind === 'ndjson' && Buffer.from(bytes.subarray(0, 12)).toString() === '{"damaged":{';

/** @throws invalid, with the position of the event */
function toEvent({ bytes, offset, number }: Element, kind: FileKind): Record<string, unknown> {
  try {
    const text = decodeUtf8(bytes);
    if (text === undefined) throw invalid('not valid UTF-8');
    const value: unknown = JSON.parse(text);
    const event =
      kind === 'har' ? fromHarEntry(value, delivery => detect(delivery, [])) : (value as Record<string, unknown>);
    readEvent(event);
    return event;
  } catch (error) {
    throw invalid(`event ${number}, at byte ${offset}: ${(error as Error).message}`);
  }
}

/** Collects events and sends them in batches. Events with the same time stay together, so that identical ones can be counted. */
function createBatch(send: (events: Record<string, unknown>[]) => Promise<void>) {
  let events: Record<string, unknown>[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (events.length === 0) return;
    const batch = events;
    events = [];
    bytes = 0;
    await send(batch);
  };
  return {
    flush,
    async add(event: Record<string, unknown>, size: number): Promise<void> {
      const fill = Math.max(events.length / batchEvents, (bytes + size) / batchBytes);
      const isSameTime = events.at(-1)?.['receivedAt'] === event['receivedAt'];
      if (fill >= maxOverfill || (fill >= 1 && !isSameTime)) await flush();
      events.push(event);
      bytes += size;
    },
  };
}

function sizeOf(file: string): number {
  try {
    const found = statSync(file);
    if (found.isDirectory()) throw new Error('is a directory');
    return found.size;
  } catch (error) {
    throw new OperationError(`cannot read ${file}: ${(error as Error).message}`);
  }
}
