/*
 * The client of a libSQL server. The library has no timeout, so one is added here: a sender that gets an error can retry. It
 * sends arguments as JSON, and the server refuses JSON with half a surrogate pair; such halves are replaced by U+FFFD, as the
 * embedded database does. Writes take turns (write-turns.ts).
 */
import { type Client, createClient, type InArgs, type InStatement, type InValue, type ResultSet } from '@libsql/client';
import { systemClock } from '../core/clock.ts';
import type { Database } from './database.ts';
import { isRead, type Statement, toStatement } from './threads/messages.ts';
import { unsupported } from './unsupported.ts';
import { createWriteTurns } from './write-turns.ts';

/** How long one request to a libSQL server may take. */
const timeoutMs = 20_000;

export function createServerClient(
  url: string,
  authToken: string | undefined,
): Pick<Database, 'client' | 'captureBatch' | 'writeQueueDepth'> {
  const client = createClient({
    url,
    ...(authToken !== undefined && { authToken }),
    intMode: 'number',
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }),
  });
  const turns = createWriteTurns({ timeoutMs, monotonic: systemClock.monotonic });

  const execute = (stmt: InStatement, args?: InArgs): Promise<ResultSet> => {
    const statement = withWellFormedText(typeof stmt === 'string' ? { sql: stmt, args: args ?? [] } : stmt);
    return isRead(statement) ? client.execute(statement) : turns.run(() => client.execute(statement));
  };
  return {
    client: {
      execute,
      // Drizzle's db.batch passes no mode: a batch writes unless its mode is `read`.
      batch: (stmts, mode) => {
        const statements = stmts.map(withWellFormedText);
        return mode === 'read' ? client.batch(statements, 'read') : turns.run(() => client.batch(statements, 'write'));
      },
      migrate: stmts => turns.run(() => client.migrate(stmts)),
      executeMultiple: sql => turns.run(() => client.executeMultiple(sql)),
      transaction: unsupported('transaction()') as Client['transaction'],
      sync: () => client.sync(),
      reconnect: () => client.reconnect(),
      close: () => client.close(),
      get closed() {
        return client.closed;
      },
      protocol: client.protocol,
    },
    captureBatch: stmts => turns.runFirst(() => client.batch(stmts.map(withWellFormedText), 'write')),
    writeQueueDepth: turns.depth,
  };
}

const wellFormed = (value: InValue): InValue => (typeof value === 'string' ? value.toWellFormed() : value);

function withWellFormedText(stmt: Parameters<typeof toStatement>[0]): Statement {
  const { sql, args } = toStatement(stmt);
  if (Array.isArray(args)) return { sql, args: args.map(wellFormed) };
  return { sql, args: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, wellFormed(value)])) };
}
