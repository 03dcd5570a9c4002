/* The program of a database thread: libSQL is synchronous, so all of it runs here. Requests are answered in order. */
import {
  type OpenMessage,
  type PackedResult,
  packError,
  type ReplyMessage,
  type RequestMessage,
  type Statement,
} from './messages.ts';
import { openThreadConnection, type StatementRequest, type ThreadConnection } from './thread-connection.ts';

/** The used part of a Worker's global scope. */
export type ThreadScope = {
  onmessage: ((event: MessageEvent<OpenMessage | RequestMessage>) => void) | null;
  postMessage: (reply: ReplyMessage, transfer?: ArrayBuffer[]) => void;
};

/** Gets all inputs that arrived while the connection was busy. @returns an output or an error for each, in order */
export type WriterJob = (inputs: unknown[]) => Promise<(JobOutput | { error: unknown })[]>;
/** `transfer`: buffers in the output that are transferred to the main thread. */
type JobOutput = { output: unknown; transfer: ArrayBuffer[] };

export type LoadJob = (writeBatch: (statements: readonly Statement[]) => PackedResult[]) => Promise<WriterJob>;

type PagesMessage = Extract<RequestMessage, { kind: 'pages' }>;
type JobRequest = Extract<RequestMessage, { kind: 'job' }>;

/** Larger values are transferred instead of copied, because copying would keep a large event in memory twice. */
const maxCopiedBytes = 256 << 10;

/** After this many copied bytes the thread collects its garbage: while idle, it would keep the originals of copied values. */
const collectAfterBytes = 4 << 20;

/** Large values, and the size of the others. Uses plain loops, because a long read has millions of values. */
function sortValues(results: readonly PackedResult[]): { large: ArrayBuffer[]; copiedBytes: number } {
  const large: ArrayBuffer[] = [];
  let copiedBytes = 0;
  for (const { rows } of results)
    for (const row of rows)
      for (const value of row) {
        if (!(value instanceof ArrayBuffer)) continue;
        if (value.byteLength > maxCopiedBytes) large.push(value);
        else copiedBytes += value.byteLength;
      }
  return { large, copiedBytes };
}

/** Requests whose success proves that no other connection holds the write lock. */
const writeKinds: ReadonlySet<RequestMessage['kind']> = new Set(['batch', 'migrate', 'script']);

/**
 * The part of the elapsed time that always counts as work. The rest counts only if the thread used the processor: on a busy machine,
 * a thread of low priority waits for it ten times as long as it works. A slow disk keeps it waiting even longer.
 */
const elapsedShare = 1 / 20;

/**
 * Serves one connection on `scope` until a close request arrives. Replies carry the request's id.
 * @param loadJob creates the job that `job` requests run, given a function that writes a batch; called for the first of them,
 * and again after a failure
 * @param cpuMs the processor time that this thread has used
 */
export function serveDatabaseThread(
  scope: ThreadScope,
  loadJob?: LoadJob,
  cpuMs: () => number = () => performance.now(),
): void {
  let connection: ThreadConnection | undefined;
  let job: Promise<WriterJob> | undefined;
  let lastTask: Promise<void> = Promise.resolve();
  /** Job requests that arrived one after another and have not been started yet. */
  let pendingBatch: JobRequest[] | undefined;

  let uncollectedBytes = 0;
  const collectIfDue = (): void => {
    if (uncollectedBytes < collectAfterBytes) return;
    uncollectedBytes = 0;
    Bun.gc(true);
  };

  const getConnection = (): ThreadConnection => {
    if (!connection) throw new Error('the database is not open');
    return connection;
  };

  const open = (message: OpenMessage): void => {
    connection = openThreadConnection(message);
    // A job that was loaded before writes to the earlier connection.
    job = undefined;
    scope.postMessage({ kind: 'ready' });
  };

  const getJob = (): Promise<WriterJob> => {
    if (!loadJob) throw new Error('this thread runs no jobs');
    job ??= loadJob(getConnection().writeBatch).catch(error => {
      job = undefined;
      throw error;
    });
    return job;
  };

  /** @returns a function that returns how long the thread has worked since */
  const startTimer = (): (() => number) => {
    const [cpu, elapsed] = [cpuMs(), performance.now()];
    return () => Math.max(cpuMs() - cpu, (performance.now() - elapsed) * elapsedShare);
  };

  const runJobs = async (requests: readonly JobRequest[]): Promise<void> => {
    const run = await getJob();
    const workedMs = startTimer();
    const results = await run(requests.map(({ input }) => input));
    const ms = workedMs();
    const failedIds = new Map<unknown, number[]>();
    for (const [i, result] of results.entries()) {
      const { id } = requests[i] as JobRequest;
      if ('error' in result) failedIds.set(result.error, [...(failedIds.get(result.error) ?? []), id]);
      else scope.postMessage({ id, results: [], output: result.output, ms }, result.transfer);
    }
    if (failedIds.size === 0) getConnection().resetBusyTimeout();
    for (const [error, ids] of failedIds) fail(ids, error);
  };

  const answer = (request: StatementRequest): void => {
    const workedMs = startTimer();
    const results = getConnection().run(request);
    const { large, copiedBytes } = sortValues(results);
    scope.postMessage({ id: request.id, results, ms: workedMs() }, large);
    uncollectedBytes += copiedBytes;
    if (writeKinds.has(request.kind) || results[0]?.columns.length === 0) getConnection().resetBusyTimeout();
  };

  const answerPages = ({ id, input }: PagesMessage): void => {
    const workedMs = startTimer();
    const output = getConnection().pages(input);
    const transfer = 'bytes' in output ? [output.bytes.buffer] : [];
    scope.postMessage({ id, results: [], output, ms: workedMs() }, transfer);
  };

  const fail = (ids: readonly number[], error: unknown): void => {
    const packed = packError(error);
    for (const id of ids) scope.postMessage({ id, error: packed });
    if (packed.code === 'SQLITE_BUSY') scope.postMessage({ kind: 'busy' });
    connection?.recoverFrom(packed.code);
  };

  const failOnError = async (requests: readonly RequestMessage[], run: () => void | Promise<void>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      const ids = requests.map(({ id }) => id);
      fail(ids, error);
    }
  };

  // After an error outside a request, the connection is unusable. It must reach the main thread, which would otherwise wait
  // forever.
  const enqueue = (task: () => void | Promise<void>): void => {
    lastTask = lastTask.then(task).catch(error => scope.postMessage({ kind: 'failed', error: packError(error) }));
  };

  const enqueueJob = (request: JobRequest): void => {
    if (pendingBatch) return void pendingBatch.push(request);
    const batch = [request];
    pendingBatch = batch;
    enqueue(async () => {
      // Gives messages that were sent but not yet delivered a chance to arrive.
      await new Promise(resolve => setImmediate(resolve));
      if (pendingBatch === batch) pendingBatch = undefined;
      await failOnError(batch, () => runJobs(batch));
    });
  };

  scope.onmessage = ({ data }) => {
    if ('id' in data && data.kind === 'job') return enqueueJob(data);
    // Jobs after a statement must not overtake it.
    pendingBatch = undefined;
    enqueue(() => {
      if (!('id' in data)) return open(data);
      return failOnError([data], () => (data.kind === 'pages' ? answerPages(data) : answer(data)));
    });
    // Not in `answer`, whose results are in use until it returns.
    enqueue(collectIfDue);
  };
}
