/* Converts values and errors of the `libsql` driver to the form of `@libsql/client`. */
import { type InValue, LibsqlBatchError, LibsqlError, type Value } from '@libsql/client/sqlite3';
import Database from 'libsql';
import type { Statement } from './messages.ts';

export function toBindings(args: Statement['args']): unknown {
  if (Array.isArray(args)) return args.map(toSqlValue);
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name.replace(/^[@$:]/, ''), toSqlValue(value)]),
  );
}

/** @throws TypeError or RangeError for a value that SQL cannot represent */
function toSqlValue(value: InValue): unknown {
  switch (typeof value) {
    case 'number':
      if (Number.isFinite(value)) return value;
      throw new RangeError(`${value} is not an SQL value`);
    case 'bigint':
      if (BigInt.asIntN(64, value) === value) return value;
      throw new RangeError('an integer of more than 64 bits is not an SQL value');
    case 'boolean':
      return value ? 1 : 0;
    case 'undefined':
      throw new TypeError('undefined is not an SQL value');
    default:
      if (value instanceof ArrayBuffer) return Buffer.from(value);
      return value instanceof Date ? value.valueOf() : value;
  }
}

/** @throws RangeError for an integer that a JavaScript number cannot hold */
export function fromSqlValue(value: unknown): Value {
  if (typeof value === 'bigint') {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return number;
    throw new RangeError('an integer in the database is too large for a number');
  }
  return value instanceof Buffer ? (value.buffer as ArrayBuffer) : (value as Value);
}

/** SQLite's primary result codes by number (sqlite3.h); an extended code has its primary code in the lowest byte. */
const primaryCodes =
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING'.split(
    ' ',
  );

/** Errors of the driver become `LibsqlError`s; others are returned unchanged. */
export function toLibsqlError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const { message, code, rawCode } = error as Error & { code: string; rawCode?: number };
  const primaryCode = rawCode === undefined ? undefined : primaryCodes[rawCode & 0xff];
  return new LibsqlError(message, `SQLITE_${primaryCode ?? 'UNKNOWN'}`, code, rawCode, error as Error);
}

export function toBatchError(error: unknown, statementIndex: number): unknown {
  if (!(error instanceof LibsqlError)) return error;
  const { message, code, extendedCode, rawCode, cause } = error;
  return new LibsqlBatchError(message, statementIndex, code, extendedCode, rawCode, cause as Error);
}
