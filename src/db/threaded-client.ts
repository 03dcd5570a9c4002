/*
 * An object of `@libsql/client`'s own `Client` shape over database threads: what only reads goes to a reader thread, all
 * else to the one writer. Drizzle and every feature sit on top and cannot tell it from the network client.
 */
import { type Client, type InArgs, type InStatement, LibsqlError, type ResultSet } from '@libsql/client';
import { type Statement, toStatement } from './protocol.ts';
import type { DatabaseThread } from './thread.ts';

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
    const [result] = await thread.send({ kind: 'execute', statement });
    if (!result) throw new LibsqlError('the database thread answered nothing', 'UNKNOWN');
    return result;
  };

  return {
    execute,
    // Drizzle's db.batch passes no mode: a batch is a write unless it says that it only reads.
    batch: (stmts, mode) =>
      mode === 'read'
        ? reader.send({ kind: 'batch', statements: stmts.map(toStatement), mode: 'read' })
        : writer.send({ kind: 'batch', statements: stmts.map(toStatement), mode: 'write' }),
    migrate: stmts => writer.send({ kind: 'migrate', statements: stmts.map(toStatement) }),
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
