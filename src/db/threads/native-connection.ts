/*
 * One connection to an embedded database, in the thread that opens it. Results and errors are those of `@libsql/client` for a
 * file, ready to be posted; what differs is that prepared statements are kept. The client prepares each one anew, which takes
 * a third of the time of a commit of deliveries and leaves native memory to the garbage collector.
 */
import { type InValue, LibsqlBatchError, LibsqlError, type Value } from '@libsql/client/sqlite3';
import Database from 'libsql';
import type { PackedResult, Statement } from './messages.ts';

export type NativeConnection = {
  execute: (statement: Statement) => PackedResult;
  /** All or none. @throws LibsqlBatchError that names the statement */
  batch: (statements: readonly Statement[], mode: 'read' | 'write') => PackedResult[];
  /** As `batch`, without foreign keys until it is done. */
  migrate: (statements: readonly Statement[]) => PackedResult[];
  /** Several statements in one text, without arguments. */
  script: (sql: string) => void;
  /** A transaction could not be ended: nothing more can be done with this connection. */
  isStuck: () => boolean;
  close: () => void;
};

type Kept = { statement: Database.Statement; columns: Pick<PackedResult, 'columns' | 'columnTypes'>; args: number };

/**
 * Only what does its work when it runs: a PRAGMA may do it while it is prepared. And a statement holds its last arguments until
 * it runs again: those with many or large ones are not kept. A group of 32 deliveries is 513, most of them numbers.
 */
const keptKinds = /^\s*(?:select|insert|update|delete|with|begin|commit|rollback)\b/i;
const keptStatements = 128;
const keptArguments = 1024;
const keptBytes = 256 << 10;

const begins = { read: 'BEGIN TRANSACTION READONLY', write: 'BEGIN IMMEDIATE', deferred: 'BEGIN DEFERRED' } as const;

/** @param busyTimeoutMs how long a lock of another connection is waited for */
export function openNativeConnection(path: string, busyTimeoutMs: number): NativeConnection {
  const database = new Database(path, { timeout: busyTimeoutMs });
  const kept = new Map<string, Kept>();

  const prepare = (sql: string, args: number): Kept => {
    const statement = database.prepare(sql);
    statement.safeIntegers(true);
    const columns = describeColumns(statement);
    return { statement, columns, args };
  };

  const statementFor = (sql: string, args: InValue[] | Record<string, InValue>): Kept => {
    if (!isWorthKeeping(args)) return prepare(sql, 0);
    const known = kept.get(sql);
    // What is not given anew would keep its last value.
    if (known?.args === args.length) return known;
    const made = prepare(sql, args.length);
    if (!keptKinds.test(sql)) {
      // It may change the columns that others give. Other connections change none: migrations come before all else.
      kept.clear();
      return made;
    }
    kept.delete(sql);
    if (kept.size >= keptStatements) kept.delete(kept.keys().next().value as string);
    kept.set(sql, made);
    return made;
  };

  const run: NativeConnection['execute'] = ({ sql, args }) => {
    try {
      const { statement, columns } = statementFor(sql, args);
      const given = toGiven(args);
      if (columns.columns.length > 0) {
        const rows = (statement.all(given) as unknown[][]).map(row => row.map(toValue));
        return { ...columns, rows, rowsAffected: 0, lastInsertRowid: undefined };
      }
      const { changes, lastInsertRowid } = statement.run(given);
      return { ...columns, rows: [], rowsAffected: changes, lastInsertRowid: BigInt(lastInsertRowid) };
    } catch (error) {
      // Nobody knows what state it is in.
      kept.delete(sql);
      throw toLibsqlError(error);
    }
  };
  const plain = (sql: string): PackedResult => run({ sql, args: [] });

  /** No transaction outlives what began it: what came after would be answered, and be in it. */
  const free = (): void => {
    if (!database.inTransaction) return;
    try {
      plain('ROLLBACK');
    } catch {
      // The error that led here says more; `isStuck` says the rest.
    }
  };

  const inTransaction = (mode: keyof typeof begins, statements: readonly Statement[]): PackedResult[] => {
    plain(begins[mode]);
    try {
      const results = statements.map((statement, index) => {
        try {
          return run(statement);
        } catch (error) {
          throw ofStatement(error, index);
        }
      });
      plain('COMMIT');
      return results;
    } finally {
      free();
    }
  };

  return {
    execute: statement => {
      try {
        return run(statement);
      } finally {
        free();
      }
    },
    batch: (statements, mode) => inTransaction(mode, statements),
    migrate: statements => {
      plain('PRAGMA foreign_keys = off');
      try {
        return inTransaction('deferred', statements);
      } finally {
        plain('PRAGMA foreign_keys = on');
      }
    },
    script: sql => {
      try {
        database.exec(sql);
      } catch (error) {
        throw toLibsqlError(error);
      } finally {
        kept.clear();
        free();
      }
    },
    isStuck: () => database.inTransaction,
    close: () => {
      kept.clear();
      database.close();
    },
  };
}

function isWorthKeeping(args: InValue[] | Record<string, InValue>): args is InValue[] {
  if (!Array.isArray(args) || args.length > keptArguments) return false;
  let bytes = 0;
  for (const value of args)
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object' && value !== null && 'byteLength' in value) bytes += value.byteLength;
  return bytes <= keptBytes;
}

/** Sets the statement to give rows as arrays, when it gives any. */
function describeColumns(statement: Database.Statement): Kept['columns'] {
  try {
    statement.raw(true);
  } catch {
    // So it says of a statement without rows.
    return { columns: [], columnTypes: [] };
  }
  const columns = statement.columns();
  return { columns: columns.map(({ name }) => name), columnTypes: columns.map(({ type }) => type ?? '') };
}

function toGiven(args: Statement['args']): unknown {
  if (Array.isArray(args)) return args.map(toSql);
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name.replace(/^[@$:]/, ''), toSql(value)]));
}

/** @throws TypeError or RangeError for what SQL has no value for */
function toSql(value: InValue): unknown {
  switch (typeof value) {
    case 'number':
      if (Number.isFinite(value)) return value;
      throw new RangeError(`${value} is no SQL value`);
    case 'bigint':
      if (BigInt.asIntN(64, value) === value) return value;
      throw new RangeError('an integer of more than 64 bits is no SQL value');
    case 'boolean':
      return value ? 1 : 0;
    case 'undefined':
      throw new TypeError('undefined is no SQL value');
    default:
      if (value instanceof ArrayBuffer) return Buffer.from(value);
      return value instanceof Date ? value.valueOf() : value;
  }
}

function toValue(value: unknown): Value {
  if (typeof value === 'bigint') {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return number;
    throw new RangeError('an integer in the database is too large for a number');
  }
  return value instanceof Buffer ? (value.buffer as ArrayBuffer) : (value as Value);
}

function ofStatement(error: unknown, index: number): unknown {
  if (!(error instanceof LibsqlError)) return error;
  const { message, code, extendedCode, rawCode, cause } = error;
  return new LibsqlBatchError(message, index, code, extendedCode, rawCode, cause as Error);
}

/** SQLite's primary result codes, by number (sqlite3.h); extended ones carry theirs in the lowest byte. */
const codes =
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING'.split(
    ' ',
  );

function toLibsqlError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const { message, code, rawCode } = error as Error & { code: string; rawCode?: number };
  const primary = rawCode === undefined ? undefined : codes[rawCode & 0xff];
  return new LibsqlError(message, `SQLITE_${primary ?? 'UNKNOWN'}`, code, rawCode, error as Error);
}
