/*
 * What a database thread runs: one libSQL connection, served over messages. libSQL is synchronous on the thread that calls
 * it, so everything here is off the main thread. After a SQLITE_BUSY a connection can lose later writes without a word
 * (libsql-client-ts#352): it is replaced at once, and the main thread is told, so that the incident is logged and counted.
 */
import { type NativeConnection, openNativeConnection } from './native-connection.ts';
import {
  type Hello,
  type PackedResult,
  packError,
  type Reply,
  type Request,
  type Statement,
  unpackStatement,
} from './protocol.ts';

/** The part of a Worker's global scope that is used. */
export type ThreadScope = {
  onmessage: ((event: MessageEvent<Hello | Request>) => void) | null;
  postMessage: (reply: Reply, transfer?: ArrayBuffer[]) => void;
};

/**
 * Work of the server's own that is done beside the connection, between its statements. It is given all inputs that have come
 * while the connection was busy, and has an output or an error for each; one that it throws is for all of them. `handedOver`:
 * buffers in the output that the thread gives away.
 */
export type Job = (inputs: unknown[]) => Promise<(Output | { error: unknown })[]>;
type Output = { output: unknown; handedOver: ArrayBuffer[] };

type JobRequest = Extract<Request, { kind: 'job' }>;
type StatementRequest = Exclude<Request, JobRequest>;

/** How long a lock of another connection is waited for. Once in vain is enough: until it is gone, whoever comes is told sooner. */
const patienceMs = { usual: 5000, afterBusy: 250 };
const common = ['PRAGMA foreign_keys = ON', 'PRAGMA temp_store = MEMORY'];
// These count only before the first page is written, and before WAL. Setting the second one later is a commit, which a full
// disk would not take: nothing could be opened then, not even to be read.
const empty = ['PRAGMA page_size = 16384', 'PRAGMA auto_vacuum = INCREMENTAL'];
const writer = [
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  // 16 MiB of log before it is folded in. With 64 the same number of rows a second, but the commit that folds it in takes four
  // times as long, and everybody waits for that one: p99 of deliveries at full load 15 ms instead of 7.5.
  'PRAGMA wal_autocheckpoint = 1000',
  'PRAGMA journal_size_limit = 134217728',
  'PRAGMA cache_size = -16384',
];
const reader = ['PRAGMA query_only = 1', 'PRAGMA cache_size = -8192', 'PRAGMA mmap_size = 0'];

/**
 * Serves one connection on `scope` until told to close. Contract: replies carry the request's id; order is kept.
 * @param loadJob makes what `job` requests run, of a way to write a batch; called once the connection is open
 */
export function serveConnection(
  scope: ThreadScope,
  loadJob?: (write: (statements: readonly Statement[]) => PackedResult[]) => Promise<Job>,
): void {
  let connection: NativeConnection | undefined;
  let job: Promise<Job> | undefined;
  let patience: keyof typeof patienceMs = 'usual';
  let reopen = (): NativeConnection => {
    throw new Error('the database is not open');
  };
  // Requests are answered one after the other; libSQL would be synchronous anyway.
  let turn: Promise<void> = Promise.resolve();

  const open = ({ path, readOnly }: Hello): void => {
    reopen = () => {
      const opened = openNativeConnection(path, patienceMs.usual);
      if (!readOnly && isEmpty(opened)) for (const pragma of empty) execute(opened, pragma);
      for (const pragma of [...common, ...(readOnly ? reader : writer)]) execute(opened, pragma);
      return opened;
    };
    connection = reopen();
    scope.postMessage({ kind: 'ready' });
    // By whatever connection there is then: one that was busy has been replaced.
    job = loadJob?.(statements => current().batch(statements, 'write'));
  };

  const current = (): NativeConnection => {
    if (!connection) throw new Error('the database is not open');
    return connection;
  };

  const run = (on: NativeConnection, request: StatementRequest): PackedResult[] => {
    switch (request.kind) {
      case 'execute':
        return [on.execute(unpackStatement(request.statement))];
      case 'batch':
        return on.batch(request.statements.map(unpackStatement), request.mode);
      case 'migrate':
        return on.migrate(request.statements.map(unpackStatement));
      case 'script':
        on.script(request.sql);
        return [];
      case 'vacuum-into':
        vacuumInto(on, request.path);
        return [];
      case 'truncate-wal':
        truncateWal(on, patienceMs[patience]);
        return [];
      case 'close':
        on.close();
        return [];
    }
  };

  const runJobs = async (requests: readonly JobRequest[]): Promise<void> => {
    if (!job) throw new Error('this thread has no job');
    const startedAt = performance.now();
    const done = await (await job)(requests.map(({ input }) => input));
    const ms = performance.now() - startedAt;
    const failed = new Map<unknown, number[]>();
    for (const [i, one] of done.entries()) {
      const { id } = requests[i] as JobRequest;
      if ('error' in one) failed.set(one.error, [...(failed.get(one.error) ?? []), id]);
      else scope.postMessage({ id, results: [], output: one.output, ms }, one.handedOver);
    }
    if (failed.size === 0) wrote();
    for (const [error, ids] of failed) fail(ids, error);
  };

  const fail = (ids: readonly number[], error: unknown): void => {
    const packed = packError(error);
    for (const id of ids) scope.postMessage({ id, error: packed });
    const isBusy = packed.code === 'SQLITE_BUSY';
    if (isBusy) scope.postMessage({ kind: 'busy' });
    if (isBusy || connection?.isStuck()) {
      connection?.close();
      connection = reopen();
    } else if (misread.test(String(packed.code))) startAnew();
    if (isBusy) bear('afterBusy');
    else if (patience !== 'usual') bear(patience);
  };

  /** Where nothing can be opened any more, what can still be read is read. */
  const startAnew = (): void => {
    try {
      const fresh = reopen();
      connection?.close();
      connection = fresh;
    } catch {
      // The error that led here has been told.
    }
  };

  const bear = (how: typeof patience): void => {
    patience = how;
    current().script(busyTimeout(patienceMs[how]));
  };
  /** Something was written: nobody holds the lock any more. */
  const wrote = (): void => {
    if (patience !== 'usual') bear('usual');
  };

  /** Answers all of `requests` with an error when `act` throws. */
  const guarded = async (requests: readonly Request[], act: () => void | Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      fail(
        requests.map(({ id }) => id),
        error,
      );
    }
  };

  const answer = (request: StatementRequest): Promise<void> =>
    guarded([request], () => {
      const startedAt = performance.now();
      const results = run(current(), request);
      scope.postMessage({ id: request.id, results, ms: performance.now() - startedAt });
      if (writes.has(request.kind) || results[0]?.columns.length === 0) wrote();
    });

  // Whatever fails here leaves no connection that can be trusted: the main thread must not wait for it.
  const next = (act: () => void | Promise<void>): void => {
    turn = turn.then(act).catch(error => scope.postMessage({ kind: 'failed', error: packError(error) }));
  };

  /** Jobs that came one after the other and whose turn it is not yet. */
  let gathered: JobRequest[] | undefined;
  const gather = (request: JobRequest): void => {
    if (gathered) return void gathered.push(request);
    const jobs = [request];
    gathered = jobs;
    next(async () => {
      // What has been sent meanwhile is there, but has not been delivered.
      await new Promise(resolve => setImmediate(resolve));
      if (gathered === jobs) gathered = undefined;
      await guarded(jobs, () => runJobs(jobs));
    });
  };

  scope.onmessage = ({ data }) => {
    if ('id' in data && data.kind === 'job') return gather(data);
    gathered = undefined;
    next(() => ('id' in data ? answer(data) : open(data)));
  };
}

/** libSQL keeps pages that the disk failed to give: a fault that is long over stays one for this connection. */
const misread = /^SQLITE_(?:IOERR|CORRUPT|NOTADB)$/;

const writes: ReadonlySet<Request['kind']> = new Set(['batch', 'migrate', 'script']);
const busyTimeout = (ms: number): string => `PRAGMA busy_timeout = ${ms}`;

const execute = (on: NativeConnection, sql: string, args: Statement['args'] = []): PackedResult =>
  on.execute({ sql, args });

const isEmpty = (on: NativeConnection): boolean => Number(execute(on, 'PRAGMA page_count').rows[0]?.[0]) === 0;

/** A consistent copy, made by a reader while the writer writes on. `query_only` forbids even this. */
function vacuumInto(on: NativeConnection, path: string): void {
  execute(on, 'PRAGMA query_only = 0');
  try {
    execute(on, 'VACUUM INTO ?', [path]);
  } finally {
    execute(on, 'PRAGMA query_only = 1');
  }
}

/** Only if no reader is in the way: a checkpoint that waits for one would hold up every delivery behind it. */
function truncateWal(on: NativeConnection, thenPatienceMs: number): void {
  on.script(busyTimeout(0));
  try {
    on.script('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    on.script(busyTimeout(thenPatienceMs));
  }
}
