/* A connection in the thread that opens it, with the results and errors of `@libsql/client`, but with reused statements. */
import Database from 'libsql';
import type { PackedResult, Statement } from './messages.ts';
import { fromSqlValue, toBatchError, toBindings, toLibsqlError } from './sql-values.ts';
import { createStatementCache } from './statement-cache.ts';

export type NativeConnection = ReturnType<typeof openNativeConnection>;

const beginSql = { read: 'BEGIN TRANSACTION READONLY', write: 'BEGIN IMMEDIATE', deferred: 'BEGIN DEFERRED' } as const;

/** @param busyTimeoutMs how long a statement waits for another connection's lock */
export function openNativeConnection(path: string, busyTimeoutMs: number) {
  const database = new Database(path, { timeout: busyTimeoutMs });
  const statements = createStatementCache(database);
  let isClosed = false;

  const run = ({ sql, args }: Statement): PackedResult => {
    try {
      const { statement, columns } = statements.prepare(sql, args);
      const bindings = toBindings(args);
      if (columns.columns.length > 0) {
        const rows = (statement.all(bindings) as unknown[][]).map(row => row.map(fromSqlValue));
        return { ...columns, rows, rowsAffected: 0, lastInsertRowid: undefined };
      }
      const { changes, lastInsertRowid } = statement.run(bindings);
      return { ...columns, rows: [], rowsAffected: changes, lastInsertRowid: BigInt(lastInsertRowid) };
    } catch (error) {
      // A statement that failed is in an unknown state.
      statements.remove(sql);
      throw toLibsqlError(error);
    }
  };
  // libSQL aborts the process if `inTransaction` is read from a closed database.
  const isInTransaction = (): boolean => !isClosed && database.inTransaction;
  const runSql = (sql: string): PackedResult => run({ sql, args: [] });

  /** Rolls an open transaction back. Otherwise, later statements would be part of a transaction that is never committed. */
  const rollBackOpenTransaction = (): void => {
    if (!isInTransaction()) return;
    try {
      runSql('ROLLBACK');
    } catch {
      // The original error is more useful, and `isStuck` reports that the rollback failed.
    }
  };

  const runWithin = <T>(mode: keyof typeof beginSql, work: () => T): T => {
    runSql(beginSql[mode]);
    try {
      const result = work();
      runSql('COMMIT');
      return result;
    } finally {
      rollBackOpenTransaction();
    }
  };

  const runInTransaction = (mode: keyof typeof beginSql, batch: readonly Statement[]): PackedResult[] =>
    runWithin(mode, () =>
      batch.map((statement, index) => {
        try {
          return run(statement);
        } catch (error) {
          throw toBatchError(error, index);
        }
      }),
    );

  return {
    execute: (statement: Statement): PackedResult => {
      try {
        return run(statement);
      } finally {
        rollBackOpenTransaction();
      }
    },
    /** Runs the statements in one transaction. @throws LibsqlBatchError with the index of the failed statement */
    batch: (batch: readonly Statement[], mode: 'read' | 'write'): PackedResult[] => runInTransaction(mode, batch),
    /** Runs `work` in a transaction that writes, which ends without a change if it throws. */
    inTransaction: <T>(work: (execute: typeof run) => T): T => runWithin('write', () => work(run)),
    migrate: (batch: readonly Statement[]): PackedResult[] => {
      runSql('PRAGMA foreign_keys = off');
      try {
        return runInTransaction('deferred', batch);
      } finally {
        runSql('PRAGMA foreign_keys = on');
      }
    },
    /** Several statements in one text, without arguments. */
    script: (sql: string): void => {
      try {
        database.exec(sql);
      } catch (error) {
        throw toLibsqlError(error);
      } finally {
        statements.clear();
        rollBackOpenTransaction();
      }
    },
    /** Whether a transaction could not be ended, so that the connection is unusable. */
    isStuck: isInTransaction,
    close: (): void => {
      statements.clear();
      isClosed = true;
      database.close();
    },
  };
}
