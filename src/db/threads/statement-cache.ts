/* Prepared statements, reused: preparing takes a third of an ingest commit, and leaves native memory to garbage collection. */
import type { InValue } from '@libsql/client/sqlite3';
import type Database from 'libsql';
import type { PackedResult, Statement } from './messages.ts';

export type PreparedStatement = {
  statement: Database.Statement;
  columns: Pick<PackedResult, 'columns' | 'columnTypes'>;
  argumentCount: number;
};

/** Only statements that do their work when they run: a PRAGMA may do it while it is prepared. */
const cacheableSql = /^\s*(?:select|insert|update|delete|with|begin|commit|rollback)\b/i;
const maxStatements = 128;
/** A statement keeps its last arguments in memory. A statement that inserts 256 events has 1541, nearly all numbers. */
const maxArguments = 2048;
const maxArgumentBytes = 256 << 10;

export type StatementCache = ReturnType<typeof createStatementCache>;

export function createStatementCache(database: Database.Database) {
  const cache = new Map<string, PreparedStatement>();

  const prepare = (sql: string, argumentCount: number): PreparedStatement => {
    const statement = database.prepare(sql);
    statement.safeIntegers(true);
    return { statement, columns: describeColumns(statement), argumentCount };
  };

  return {
    /** A statement that is ready to run with these arguments, from the cache if possible. */
    prepare(sql: string, args: Statement['args']): PreparedStatement {
      if (!isCacheable(args)) return prepare(sql, 0);
      const cached = cache.get(sql);
      // A missing argument would keep its previous value.
      if (cached?.argumentCount === args.length) return cached;
      const prepared = prepare(sql, args.length);
      if (!cacheableSql.test(sql)) {
        // It may change the columns of cached statements. On other connections this cannot happen, because migrations run
        // before they open.
        cache.clear();
        return prepared;
      }
      cache.delete(sql);
      if (cache.size >= maxStatements) cache.delete(cache.keys().next().value as string);
      cache.set(sql, prepared);
      return prepared;
    },
    remove: (sql: string): void => void cache.delete(sql),
    clear: (): void => cache.clear(),
  };
}

function isCacheable(args: Statement['args']): args is InValue[] {
  if (!Array.isArray(args) || args.length > maxArguments) return false;
  let bytes = 0;
  for (const value of args)
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object' && value !== null && 'byteLength' in value) bytes += value.byteLength;
  return bytes <= maxArgumentBytes;
}

/** Also makes a statement that returns rows return them as arrays. */
function describeColumns(statement: Database.Statement): PreparedStatement['columns'] {
  try {
    statement.raw(true);
  } catch {
    // libSQL throws for a statement that returns no rows.
    return { columns: [], columnTypes: [] };
  }
  const columns = statement.columns();
  return { columns: columns.map(({ name }) => name), columnTypes: columns.map(({ type }) => type ?? '') };
}
