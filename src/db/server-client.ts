/*
 * The client of a libSQL server. The library has no time limits, so they are added here: a sender that gets an error can retry.
 * It sends arguments as JSON, and the server refuses JSON with half a surrogate pair; such halves are replaced by U+FFFD, as the
 * embedded database does. Writes take turns (write-turns.ts).
 */
import {
  type Client,
  createClient,
  type InArgs,
  type InStatement,
  type InValue,
  LibsqlError,
  type ResultSet,
} from '@libsql/client';
import { systemClock } from '../core/clock.ts';
import type { Database, ServerLimits } from './database.ts';
import { isRead, type Statement, toStatement } from './threads/messages.ts';
import { unsupported } from './threads/threaded-client.ts';
import { createWriteTurns } from './write-turns.ts';

const usualLimits: ServerLimits = { requestMs: 20_000, captureMs: 4_500, stallMs: 30_000 };
/** How long a server may take for the shortest read before it counts as a server that does not answer. */
const shortestReadMs = 3_000;

type ServerClientOptions = {
  url: string;
  authToken: string | undefined;
  /** Called once when the server begins to answer reads but no writes. */
  onWriteStall?: ((problem: string) => void) | undefined;
  limits?: ServerLimits | undefined;
};

export type ServerClient = Pick<
  Database,
  'client' | 'captureBatch' | 'captureRead' | 'writeQueueDepth' | 'writeProblem' | 'runsRequestsAtOnce'
>;

export function createServerClient({
  url,
  authToken,
  onWriteStall,
  limits: { requestMs, captureMs, stallMs } = usualLimits,
}: ServerClientOptions): ServerClient {
  const connect = (signalOf: () => AbortSignal): Client =>
    createClient({
      url,
      ...(authToken !== undefined && { authToken }),
      intMode: 'number',
      fetch: (request: Request) => fetch(request, { signal: signalOf() }),
    });
  const reader = connect(() => AbortSignal.timeout(requestMs));
  // One write runs at a time, so all requests of this client belong to it and use its signal.
  let writeSignal = new AbortController().signal;
  const writer = connect(() => writeSignal);

  const writeProblem = async (): Promise<string | undefined> => {
    if (turns.unansweredMs() < stallMs) return undefined;
    const isAnswered = await within(shortestReadMs, reader.execute('SELECT 1')).then(
      () => true,
      () => false,
    );
    return isAnswered && turns.unansweredMs() >= stallMs
      ? 'the libSQL server answers reads but no writes: restart it'
      : undefined;
  };
  let isStallReported = false;
  const reportStall = async (): Promise<void> => {
    const problem = await writeProblem();
    if (problem !== undefined && !isStallReported) onWriteStall?.(problem);
    isStallReported = problem !== undefined;
  };
  const turns = createWriteTurns({
    writeMs: requestMs,
    captureMs,
    monotonic: systemClock.monotonic,
    onTimeout: () => void reportStall(),
  });
  const withSignal =
    <T>(write: () => Promise<T>) =>
    (signal: AbortSignal): Promise<T> => {
      writeSignal = signal;
      return write();
    };
  const run = <T>(write: () => Promise<T>): Promise<T> => turns.run(withSignal(write));

  const execute = (stmt: InStatement, args?: InArgs): Promise<ResultSet> => {
    const statement = withWellFormedText(typeof stmt === 'string' ? { sql: stmt, args: args ?? [] } : stmt);
    return isRead(statement) ? reader.execute(statement) : run(() => writer.execute(statement));
  };
  return {
    client: {
      execute,
      // Drizzle's db.batch passes no mode: a batch writes unless its mode is `read`.
      batch: (stmts, mode) => {
        const statements = stmts.map(withWellFormedText);
        return mode === 'read' ? reader.batch(statements, 'read') : run(() => writer.batch(statements, 'write'));
      },
      migrate: stmts => run(() => writer.migrate(stmts)),
      executeMultiple: sql => run(() => writer.executeMultiple(sql)),
      transaction: unsupported('transaction()') as Client['transaction'],
      sync: () => reader.sync(),
      reconnect: async () => void (await Promise.all([reader.reconnect(), writer.reconnect()])),
      close: () => {
        reader.close();
        writer.close();
      },
      get closed() {
        return reader.closed;
      },
      protocol: reader.protocol,
    },
    captureBatch: stmts => {
      const statements = stmts.map(withWellFormedText);
      return turns.runFirst(withSignal(() => writer.batch(statements, 'write')));
    },
    captureRead: read => within(captureMs, read),
    writeQueueDepth: turns.depth,
    writeProblem,
    runsRequestsAtOnce: () => runsRequestsAtOnce(reader),
  };
}

/** Rejects with the code `TIMEOUT` if `work` takes longer; its result is then ignored. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new LibsqlError('the libSQL server did not answer in time', 'TIMEOUT')), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A read that keeps the server busy for about a tenth of a second, and no longer if this process is killed. */
const longRead = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000) SELECT count(*) FROM n`;
const headStartMs = 20;

/** Whether a short read overtakes a long one. The network may change the order, but hardly three times in a row. */
async function runsRequestsAtOnce(reader: Client): Promise<boolean> {
  for (let round = 0; round < 3; round++) {
    const long = reader.execute(longRead);
    long.catch(() => {});
    await new Promise(resolve => setTimeout(resolve, headStartMs));
    const first = await Promise.race([long.then(() => 'long'), reader.execute('SELECT 1').then(() => 'short')]);
    await long;
    if (first === 'long') return false;
  }
  return true;
}

const wellFormed = (value: InValue): InValue => (typeof value === 'string' ? value.toWellFormed() : value);

function withWellFormedText(stmt: Parameters<typeof toStatement>[0]): Statement {
  const { sql, args } = toStatement(stmt);
  if (Array.isArray(args)) return { sql, args: args.map(wellFormed) };
  return { sql, args: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, wellFormed(value)])) };
}
