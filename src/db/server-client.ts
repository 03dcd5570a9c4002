/*
 * The client of a libSQL server. It has no timeout of its own, and a sender that gets an error can try again. It sends arguments
 * as JSON, and the server refuses JSON with half a surrogate pair; such halves are replaced by U+FFFD, as the embedded database
 * does.
 */
import {
  type Client,
  createClient,
  type InArgs,
  type InStatement,
  type InValue,
  type TransactionMode,
} from '@libsql/client';
import { type Statement, toStatement } from './threads/messages.ts';

/** How long one request to a libSQL server may take. */
const timeoutMs = 20_000;

export function createServerClient(url: string, authToken: string | undefined): Client {
  const client = createClient({
    url,
    ...(authToken !== undefined && { authToken }),
    intMode: 'number',
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }),
  });
  return {
    execute: (stmt: InStatement, args?: InArgs) =>
      client.execute(withWellFormedText(typeof stmt === 'string' ? { sql: stmt, args: args ?? [] } : stmt)),
    batch: (stmts, mode) => client.batch(stmts.map(withWellFormedText), mode),
    migrate: stmts => client.migrate(stmts),
    executeMultiple: sql => client.executeMultiple(sql),
    transaction: (mode?: TransactionMode) => client.transaction(mode),
    sync: () => client.sync(),
    reconnect: () => client.reconnect(),
    close: () => client.close(),
    get closed() {
      return client.closed;
    },
    protocol: client.protocol,
  };
}

const wellFormed = (value: InValue): InValue => (typeof value === 'string' ? value.toWellFormed() : value);

function withWellFormedText(stmt: Parameters<typeof toStatement>[0]): Statement {
  const { sql, args } = toStatement(stmt);
  if (Array.isArray(args)) return { sql, args: args.map(wellFormed) };
  return { sql, args: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, wellFormed(value)])) };
}
