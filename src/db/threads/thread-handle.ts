/*
 * One database thread seen from the main thread. The queue is bounded; when the thread dies, everything waiting fails with
 * a clear error and `onDeath` is called: the process must not go on with a database that no longer answers.
 */
import { LibsqlBatchError, LibsqlError, type ResultSet } from '@libsql/client';
import {
  type OpenMessage,
  type PackedError,
  type PackedStatement,
  packStatement,
  type ReplyMessage,
  type RequestMessage,
  type Statement,
  unpackResult,
} from './messages.ts';

/** A request as its sender has it: statements not packed yet. */
export type ThreadRequest =
  | { kind: 'execute'; statement: Statement }
  | { kind: 'batch'; statements: Statement[]; mode: 'read' | 'write' }
  | { kind: 'migrate'; statements: Statement[] }
  | { kind: 'script'; sql: string }
  /** The thread's own job, see connection.ts; it takes `transfer` over. */
  | { kind: 'job'; input: unknown; transfer: ArrayBuffer[] }
  | { kind: 'vacuum-into'; path: string }
  | { kind: 'truncate-wal' }
  | { kind: 'close' };

/** `ms`: the thread's own time for this request. `output`: a job's. */
export type Answer = { results: ResultSet[]; output?: unknown; ms: number };

export type DatabaseThread = {
  send: (request: ThreadRequest) => Promise<Answer>;
  /** Requests sent and not answered yet. */
  queueDepth: () => number;
  close: () => Promise<void>;
  /** What waits for the thread fails now; the thread ends as soon as it is done with what it is doing. */
  terminate: () => void;
};

export type ThreadOptions = {
  spawn: () => Worker;
  open: OpenMessage;
  onBusy: () => void;
  onThreadFailure: (error: Error) => void;
};

const maxDepth = 4096;

function toError(packed: PackedError): Error {
  const { message, code, extendedCode, rawCode, statementIndex } = packed;
  return statementIndex === undefined
    ? new LibsqlError(message, code, extendedCode, rawCode)
    : new LibsqlBatchError(message, statementIndex, code, extendedCode, rawCode);
}

function packRequest(request: ThreadRequest, id: number, transfer: ArrayBuffer[]): RequestMessage {
  const pack = (statement: Statement): PackedStatement => packStatement(statement, transfer);
  switch (request.kind) {
    case 'execute':
      return { ...request, id, statement: pack(request.statement) };
    case 'batch':
    case 'migrate':
      return { ...request, id, statements: request.statements.map(pack) };
    case 'job':
      transfer.push(...request.transfer);
      return { kind: 'job', id, input: request.input };
    default:
      return { ...request, id };
  }
}

/** Starts the thread and resolves once its connection is open; rejects with the database's own error when it cannot be. */
export async function startThread({ spawn, open, onBusy, onThreadFailure }: ThreadOptions): Promise<DatabaseThread> {
  const worker = spawn();
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  let nextId = 1;
  let dead: Error | undefined;
  let isOpen = false;
  const opened = Promise.withResolvers<void>();

  const die = (error: Error): void => {
    if (dead) return;
    dead = error;
    opened.reject(error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    // Before, whoever starts it is told: one that was to be an addition is no reason to end.
    if (isOpen) onThreadFailure(error);
  };

  worker.onmessage = ({ data }: MessageEvent<ReplyMessage>) => {
    if ('kind' in data) {
      if (data.kind === 'ready') {
        isOpen = true;
        opened.resolve();
      } else if (data.kind === 'busy') onBusy();
      else if (isOpen) die(toError(data.error));
      else opened.reject(toError(data.error));
      return;
    }
    const one = waiting.get(data.id);
    waiting.delete(data.id);
    if ('error' in data) one?.reject(toError(data.error));
    else one?.resolve({ results: data.results.map(unpackResult), output: data.output, ms: data.ms });
  };
  worker.onerror = event => die(new LibsqlError(`database thread failed: ${event.message}`, 'THREAD_DIED'));
  worker.addEventListener('close', () => die(new LibsqlError('database thread ended', 'THREAD_DIED')));

  worker.postMessage(open);
  try {
    await opened.promise;
  } catch (error) {
    dead ??= error as Error;
    worker.terminate();
    throw error;
  }

  const send: DatabaseThread['send'] = async request => {
    if (dead) throw dead;
    if (waiting.size >= maxDepth && request.kind !== 'close')
      throw new LibsqlError('the database queue is full', 'QUEUE_FULL');
    const id = nextId++;
    const transfer: ArrayBuffer[] = [];
    const packed = packRequest(request, id, transfer);
    worker.postMessage(packed, transfer);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    waiting.set(id, { resolve, reject });
    return promise;
  };

  return {
    send,
    queueDepth: () => waiting.size,
    close: async () => {
      if (dead) return;
      await send({ kind: 'close' });
      dead = new LibsqlError('the database is closed', 'CLIENT_CLOSED');
      worker.terminate();
    },
    terminate: () => {
      if (dead) return;
      dead = new LibsqlError('the database is closed', 'CLIENT_CLOSED');
      for (const { reject } of waiting.values()) reject(dead);
      waiting.clear();
      // Never in the middle of a statement: libSQL ends the whole process when its thread is gone by the time it returns.
      const id = nextId++;
      const end = (): void => worker.terminate();
      waiting.set(id, { resolve: end, reject: end });
      worker.postMessage({ kind: 'close', id } satisfies RequestMessage);
    },
  };
}

/** A thread that the first request to it starts; a start that failed is tried again with the next one. */
export function createLazyThread(start: () => Promise<DatabaseThread>): DatabaseThread {
  let starting: Promise<DatabaseThread> | undefined;
  let thread: DatabaseThread | undefined;
  let closed = false;
  const get = async (): Promise<DatabaseThread> => {
    try {
      thread = await start();
    } catch (error) {
      starting = undefined;
      throw error;
    }
    return thread;
  };
  return {
    send: async request => {
      if (closed) throw new LibsqlError('the database is closed', 'CLIENT_CLOSED');
      starting ??= get();
      return (await starting).send(request);
    },
    queueDepth: () => thread?.queueDepth() ?? 0,
    close: async () => {
      closed = true;
      await (await starting?.catch(() => undefined))?.close();
    },
    terminate: () => {
      closed = true;
      void starting?.then(started => started.terminate()).catch(() => {});
    },
  };
}
