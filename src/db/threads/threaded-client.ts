/* A `Client` of `@libsql/client` over database threads: reads go to a reader thread, everything else to the one writer. */
import { type Client, type InArgs, type InStatement, LibsqlError, type ResultSet } from '@libsql/client';
import { isRead, type Statement, toStatement } from './messages.ts';
import type { DatabaseThread } from './thread-handle.ts';

/** A method that neither kind of database supports, because no code may hold the writer while JavaScript runs (ADR 2). */
export const unsupported = (method: string) => () =>
  Promise.reject(new LibsqlError(`${method} is not available: use batch()`, 'UNSUPPORTED'));

/** @param writer for every statement that is not a plain SELECT @param reader SELECTs, and batches of mode `read` */
export function createThreadedClient(writer: DatabaseThread, reader: DatabaseThread): Client {
  let isClosed = false;

  const execute = async (stmt: InStatement, args?: InArgs): Promise<ResultSet> => {
    const statement: Statement =
      typeof stmt === 'string' ? { sql: stmt, args: (args ?? []) as Statement['args'] } : toStatement(stmt);
    const thread = isRead(statement) ? reader : writer;
    const [result] = (await thread.send({ kind: 'execute', statement })).results;
    if (!result) throw new LibsqlError('the database thread returned no result', 'UNKNOWN');
    return result;
  };

  return {
    execute,
    // Drizzle's db.batch passes no mode: a batch writes unless its mode is `read`.
    batch: async (stmts, mode) => {
      const statements = stmts.map(toStatement);
      const { results } = await (mode === 'read'
        ? reader.send({ kind: 'batch', statements, mode: 'read' })
        : writer.send({ kind: 'batch', statements, mode: 'write' }));
      return results;
    },
    migrate: async stmts => (await writer.send({ kind: 'migrate', statements: stmts.map(toStatement) })).results,
    executeMultiple: async sql => {
      await writer.send({ kind: 'script', sql });
    },
    transaction: unsupported('transaction()') as Client['transaction'],
    sync: unsupported('sync()') as Client['sync'],
    reconnect: async () => {},
    close: () => {
      isClosed = true;
    },
    get closed() {
      return isClosed;
    },
    protocol: 'file',
  };
}
