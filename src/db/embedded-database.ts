/* An embedded libSQL database in threads: exactly one connection writes, in one thread of one process; the others read. */
import { closeSync, constants, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Client } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import type { Database, DatabaseOptions, Drizzle } from './database.ts';
import { publishFile, restrictToOwner, syncFile } from './files/publish-file.ts';
import { createMaintenance } from './maintenance.ts';
import { migrate, upgradeIn } from './migrate.ts';
import { createLazyThread } from './threads/lazy-thread.ts';
import { toStatement } from './threads/messages.ts';
import { createOnDemandReaders } from './threads/on-demand-readers.ts';
import { startThread } from './threads/thread-handle.ts';
import { createThreadedClient } from './threads/threaded-client.ts';

type EmbeddedOptions = Required<Omit<DatabaseOptions, 'serverLimits' | 'onWriteStall'>> & { schema: string[] };

export function createEmbedded(
  file: string,
  { spawn, onBusy, onThreadFailure, migrations, schema, tracksChanges }: EmbeddedOptions,
): Database {
  let busyIncidents = 0;
  const start = (name: 'writer' | 'reader') =>
    startThread({
      spawn: () => spawn(name),
      // The writer thread creates the tables of a new file, because the main thread is busy starting.
      open: name === 'reader' ? { path: file, readOnly: true } : { path: file, readOnly: false, schema, tracksChanges },
      onBusy: () => {
        busyIncidents++;
        onBusy();
      },
      onThreadFailure,
    });
  const writer = createLazyThread(() => start('writer'));
  const reader = createLazyThread(() => start('reader'));
  const scanner = createLazyThread(() => start('reader'));
  const client = createThreadedClient(writer, reader);
  const scanClient = createThreadedClient(writer, scanner);
  const onDemandReaders = createOnDemandReaders(() =>
    startThread({
      spawn: () => spawn('reader'),
      open: { path: file, readOnly: true },
      onBusy,
      onThreadFailure: () => {},
    }),
  );
  const close = async (): Promise<void> => {
    onDemandReaders.terminateAll();
    await Promise.all([reader.close(), scanner.close()]);
    // Closing does not do this automatically, and a copy of a stopped server's file must be complete.
    await writer.send({ kind: 'truncate-wal' }).catch(() => {});
    await writer.close();
  };
  return {
    open: async () => {
      removePartialCopies(file);
      // Created before SQLite opens it, so that other users can never read it, nor the log, which gets the file's mode.
      closeSync(openSync(file, 'a', 0o600));
      restrictToOwner(file);
      // The writer is first, because it turns on WAL, which a reader cannot.
      await writer.start();
      try {
        const started = reader.start();
        const copy = async (version: number): Promise<void> => {
          // A reader that is still being opened uses the log.
          await started;
          await writer.send({ kind: 'truncate-wal' });
          await copyBeforeUpgrade(client, file, version);
        };
        const [, migrated] = await Promise.all([started, migrate(client, migrations, copy)]);
        return upgradeIn(migrated, resolve(copyPath(file, migrated.from)));
      } catch (error) {
        await close();
        throw error;
      }
    },
    client,
    db: drizzle(client) as Drizzle,
    scanClient,
    scanDb: drizzle(scanClient) as Drizzle,
    runWriterJob: async (input, transfer) => (await writer.send({ kind: 'job', input }, transfer)).output,
    captureBatch: statements => client.batch(statements, 'write'),
    captureRead: read => read,
    timedBatch: async statements => {
      const { results, ms } = await writer.send({
        kind: 'batch',
        statements: statements.map(statement => toStatement(statement)),
        mode: 'write',
      });
      return { results, writerMs: ms };
    },
    withReader: onDemandReaders.withClient,
    maintenance: createMaintenance(client, writer, onDemandReaders.withThread),
    changedPages: tracksChanges
      ? async input => (await writer.send({ kind: 'pages', input })).output as never
      : undefined,
    file,
    writeQueueDepth: writer.queueDepth,
    writeProblem: async () => undefined,
    runsRequestsAtOnce: async () => false,
    busyIncidents: () => busyIncidents,
    close,
  };
}

const copyPath = (file: string, version: number): string => `${file}.before-upgrade-from-${version}`;

/**
 * Copies the database beside itself, unless there already is a copy of this schema version. No other process writes during the
 * copy, so the file can be copied directly, which takes a tenth of the time of VACUUM, or none if the file system shares the
 * blocks of copies.
 */
async function copyBeforeUpgrade(client: Client, file: string, version: number): Promise<void> {
  const copy = copyPath(file, version);
  if (existsSync(copy)) return;
  // Renamed when complete, so that the next start does not mistake an interrupted copy for a good one.
  const partialFile = `${copy}.part`;
  try {
    // If another program is reading, a part of the database may be only in its log.
    const isWhole = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
    if (isWhole) await copyFile(file, partialFile, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    else {
      closeSync(openSync(partialFile, 'wx', 0o600));
      await client.execute({ sql: 'VACUUM INTO ?', args: [partialFile] });
    }
    restrictToOwner(partialFile);
    await syncFile(partialFile);
    await publishFile(partialFile, copy);
  } finally {
    rmSync(partialFile, { force: true });
  }
}

const partialCopySuffix = /^\.(?:restoring|before-upgrade-from-\d+\.part)(?:-(?:journal|wal|shm))?$/;

/** Removes what an interrupted upgrade or restore left. No other code makes copies while the database is being opened. */
function removePartialCopies(file: string): void {
  const [directory, name] = [dirname(file), basename(file)];
  try {
    for (const entry of readdirSync(directory))
      if (entry.startsWith(name) && partialCopySuffix.test(entry.slice(name.length)))
        rmSync(join(directory, entry), { force: true });
  } catch {
    // It wastes space but harms nothing.
  }
}
