/*
 * An object of `@libsql/client`'s own `Client` shape over database threads: what only reads goes to a reader thread, all
 * else to the one writer. Drizzle and every feature sit on top and cannot tell it from the network client.
 */
import { type Client, type InArgs, type InStatement, LibsqlError, type ResultSet } from '@libsql/client';
import { type Statement, toStatement } from './messages.ts';
import type { DatabaseThread } from './thread-handle.ts';

const reads = /^\s*(?:select|explain|values)\b/i;

const unsupported = (what: string) => () =>
  Promise.reject(new LibsqlError(`${what} is not available: use batch()`, 'UNSUPPORTED'));

/**
 * @param writer the only thread that writes; also reads what a statement other than a plain SELECT asks for
 * @param reader serves SELECT, and batches of mode `read`
 */
export function createThreadedClient(writer: DatabaseThread, reader: DatabaseThread): Client {
  let closed = false;

  const execute = async (stmt: InStatement, args?: InArgs): Promise<ResultSet> => {
    const statement: Statement =
      typeof stmt === 'string' ? { sql: stmt, args: (args ?? []) as Statement['args'] } : toStatement(stmt);
    const thread = reads.test(statement.sql) ? reader : writer;
    const [result] = (await thread.send({ kind: 'execute', statement })).results;
    if (!result) throw new LibsqlError('the database thread answered nothing', 'UNKNOWN');
    return result;
  };

  return {
    execute,
    // Drizzle's db.batch passes no mode: a batch is a write unless it says that it only reads.
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
      closed = true;
    },
    get closed() {
      return closed;
    },
    protocol: 'file',
  };
}
