/* A connection, replaced after SQLITE_BUSY, because it can then silently lose later writes (libsql-client-ts#352). */
import { type ChangedPages, createChangedPages, type PagesReply, type PagesRequest } from '../pages/changed-pages.ts';
import type { OpenMessage, PackedResult, RequestMessage, Statement } from './messages.ts';
import { unpackStatement } from './messages.ts';
import { type NativeConnection, openNativeConnection } from './native-connection.ts';
import { clearPages, readFormat } from './page-slack.ts';

export type StatementRequest = Exclude<RequestMessage, { kind: 'job' | 'pages' }>;

/** How long a statement waits for another connection's lock. After one unsuccessful wait, the next ones fail sooner. */
const busyTimeoutsMs = { normal: 5000, afterBusy: 250 };
const commonPragmas = ['PRAGMA foreign_keys = ON', 'PRAGMA temp_store = MEMORY'];
// These have an effect only before the first page is written, and before WAL. In an existing database auto_vacuum would be
// a commit, which fails on a full disk: then the database could not even be opened for reading.
const newFilePragmas = ['PRAGMA page_size = 16384', 'PRAGMA auto_vacuum = INCREMENTAL'];
const writerPragmas = [
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  // A checkpoint every 16 MiB. At 64 MiB throughput is the same, but the commit that runs the checkpoint takes four times as
  // long, and all deliveries wait for it: their p99 at full load is 15 ms instead of 7.5.
  'PRAGMA wal_autocheckpoint = 1000',
  'PRAGMA journal_size_limit = 134217728',
  // 8 MiB would save 10 MB, but filing would read pages again: a delivery costs some 10 % more processor time.
  'PRAGMA cache_size = -16384',
];
const readerPragmas = ['PRAGMA query_only = 1', 'PRAGMA cache_size = -8192', 'PRAGMA mmap_size = 0'];

/** libSQL caches pages that it failed to read: the fault stays with the connection after the disk has recovered. */
const readFault = /^SQLITE_(?:IOERR|CORRUPT|NOTADB)$/;

export type ThreadConnection = ReturnType<typeof openThreadConnection>;

export function openThreadConnection({ path, readOnly, schema, tracksChanges = false }: OpenMessage) {
  const open = (): NativeConnection => {
    const opened = openNativeConnection(path, busyTimeoutsMs.normal);
    const isNew = !readOnly && isEmpty(opened);
    if (isNew) for (const pragma of newFilePragmas) execute(opened, pragma);
    for (const pragma of [...commonPragmas, ...(readOnly ? readerPragmas : writerPragmas)]) execute(opened, pragma);
    if (isNew && schema) opened.migrate(schema.map(sql => ({ sql, args: [] })));
    // The log must not begin again before its changes are known.
    if (tracksChanges) execute(opened, 'PRAGMA wal_autocheckpoint = 0');
    return opened;
  };
  let connection = open();
  const changedPages = tracksChanges ? trackChanges(path, () => connection) : undefined;
  let busyTimeoutMs = busyTimeoutsMs.normal;

  const setBusyTimeout = (ms: number): void => {
    busyTimeoutMs = ms;
    connection.script(busyTimeoutPragma(ms));
  };

  /** Tries to open a new connection. If that fails, the old one is kept, because it may still be able to read. */
  const tryToReplace = (): void => {
    try {
      const opened = open();
      connection.close();
      connection = opened;
      changedPages?.onReconnect();
    } catch {
      // The original error has already been reported.
    }
  };

  const run = (request: StatementRequest): PackedResult[] => {
    switch (request.kind) {
      case 'execute':
        return [connection.execute(unpackStatement(request.statement))];
      case 'batch':
        return connection.batch(request.statements.map(unpackStatement), request.mode);
      case 'migrate':
        return connection.migrate(request.statements.map(unpackStatement));
      case 'script':
        connection.script(request.sql);
        return [];
      case 'vacuum-into':
        vacuumInto(connection, request.path);
        return [];
      case 'truncate-wal':
        changedPages?.afterWrite();
        return [truncateWal(connection, busyTimeoutMs)];
      case 'clear-pages':
        return [clearPagesOn(connection, request.from, request.count)];
      case 'stop-clearing':
        connection.script('PRAGMA secure_delete = OFF');
        return [];
      case 'close':
        connection.close();
        changedPages?.close();
        return [];
    }
  };

  return {
    writeBatch(statements: readonly Statement[]): PackedResult[] {
      const results = connection.batch(statements, 'write');
      changedPages?.afterWrite();
      return results;
    },

    run(request: StatementRequest): PackedResult[] {
      const results = run(request);
      if (request.kind !== 'close') changedPages?.afterWrite();
      return results;
    },

    pages<R extends PagesRequest>(request: R): PagesReply<R> {
      if (!changedPages) throw new Error('changes are not tracked');
      return changedPages.run(request) as PagesReply<R>;
    },

    /** Call it after a successful write, which proves that no other connection holds the lock any more. */
    resetBusyTimeout(): void {
      if (busyTimeoutMs !== busyTimeoutsMs.normal) setBusyTimeout(busyTimeoutsMs.normal);
    },

    /** Replaces the connection if it cannot be trusted after an error with this code. */
    recoverFrom(code: string): void {
      const isBusy = code === 'SQLITE_BUSY';
      if (isBusy || connection.isStuck()) {
        connection.close();
        connection = open();
        changedPages?.onReconnect();
      } else if (readFault.test(code)) tryToReplace();
      if (isBusy) setBusyTimeout(busyTimeoutsMs.afterBusy);
      // A new connection starts with the normal timeout.
      else if (busyTimeoutMs !== busyTimeoutsMs.normal) setBusyTimeout(busyTimeoutMs);
    },
  };
}

function trackChanges(path: string, connection: () => NativeConnection): ChangedPages {
  // The first read creates the log and its index.
  execute(connection(), 'SELECT count(*) FROM sqlite_schema');
  const pageSize = Number(execute(connection(), 'PRAGMA page_size').rows[0]?.[0]);
  const checkpoint = (): void => {
    try {
      execute(connection(), 'PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // As with automatic checkpoints, the write succeeded; the next one tries again.
    }
  };
  return createChangedPages({ path, pageSize, checkpoint });
}

const busyTimeoutPragma = (ms: number): string => `PRAGMA busy_timeout = ${ms}`;

const execute = (connection: NativeConnection, sql: string, args: Statement['args'] = []): PackedResult =>
  connection.execute({ sql, args });

const isEmpty = (connection: NativeConnection): boolean =>
  Number(execute(connection, 'PRAGMA page_count').rows[0]?.[0]) === 0;

/** Makes a consistent copy in a reader while the writer continues. `query_only` would forbid this, too. */
function vacuumInto(connection: NativeConnection, path: string): void {
  execute(connection, 'PRAGMA query_only = 0');
  try {
    execute(connection, 'VACUUM INTO ?', [path]);
  } finally {
    execute(connection, 'PRAGMA query_only = 1');
  }
}

/** Does nothing while a reader uses the log: waiting would delay deliveries. @returns a row; its first value is 0 if it is empty */
function truncateWal(connection: NativeConnection, busyTimeoutMs: number): PackedResult {
  connection.script(busyTimeoutPragma(0));
  try {
    return execute(connection, 'PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    connection.script(busyTimeoutPragma(busyTimeoutMs));
  }
}

/** One row: the number of pages of the file, how many changed, and how many do not follow the format. */
const clearedColumns = ['pages', 'changed', 'unreadable'];

/** In one transaction, with SQLite's table `sqlite_dbpage`, so that the pages pass through the log like every other change. */
function clearPagesOn(connection: NativeConnection, from: number, count: number): PackedResult {
  // While pages are cleared, nothing new is left behind. Each call says so, because the connection may have been replaced.
  connection.script('PRAGMA secure_delete = ON');
  return connection.inTransaction(execute => {
    const pages = Number(execute({ sql: 'PRAGMA page_count', args: [] }).rows[0]?.[0]);
    const read = (page: number): Buffer => {
      const { rows } = execute({ sql: 'SELECT data FROM sqlite_dbpage WHERE pgno = ?', args: [page] });
      if (!rows[0]) throw new RangeError(`page ${page} is missing`);
      return Buffer.from(rows[0][0] as ArrayBuffer);
    };
    const range = { from, to: Math.min(from + count, pages + 1) };
    const { changed, unreadable } = clearPages(range, readFormat(read(1)), read);
    for (const [page, content] of changed)
      execute({ sql: 'UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?', args: [content, page] });
    const rows = [[pages, changed.size, unreadable]];
    return { columns: clearedColumns, columnTypes: [], rows, rowsAffected: changed.size, lastInsertRowid: undefined };
  });
}
