/* A database thread, seen from the main thread. When it dies, pending requests fail, and the process must not continue. */
import { LibsqlBatchError, LibsqlError, type ResultSet } from '@libsql/client';
import {
  type OpenMessage,
  type PackedError,
  type PackedStatement,
  packStatement,
  type ReplyMessage,
  type RequestMessage,
  type Statement,
  type ThreadRequest,
  unpackResult,
} from './messages.ts';

/** `ms`: how long the thread worked on the request. `output`: that of a job or a `pages` request. */
type ThreadReply = { results: ResultSet[]; output?: unknown; ms: number };

export type DatabaseThread = {
  /** @param transfer the buffers of a job's input, which are transferred to the thread */
  send: (request: ThreadRequest, transfer?: ArrayBuffer[]) => Promise<ThreadReply>;
  queueDepth: () => number;
  close: () => Promise<void>;
  /** Fails all pending requests now, and ends the thread after its current statement. */
  terminate: () => void;
};

export type ThreadOptions = {
  spawn: () => Worker;
  open: OpenMessage;
  onBusy: () => void;
  onThreadFailure: (error: Error) => void;
};

const maxQueueDepth = 4096;

const closedError = (): LibsqlError => new LibsqlError('the database is closed', 'CLIENT_CLOSED');

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
    default:
      return { ...request, id };
  }
}

/** Resolves once the thread's connection is open. @throws the database's error if it cannot be opened */
export async function startThread(options: ThreadOptions): Promise<DatabaseThread> {
  const { onBusy, onThreadFailure } = options;
  const worker = options.spawn();
  const pending = new Map<number, { resolve: (reply: ThreadReply) => void; reject: (error: Error) => void }>();
  let nextId = 1;
  /** Set once the thread accepts no more requests. */
  let endedWith: Error | undefined;
  let isOpen = false;
  let closing: Promise<void> | undefined;
  const opened = Promise.withResolvers<void>();

  const rejectPending = (error: Error): void => {
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };

  const handleFailure = (error: Error): void => {
    if (endedWith) return;
    endedWith = error;
    opened.reject(error);
    rejectPending(error);
    // A failure to open is reported only to the caller of `startThread`, because the other threads still work.
    if (isOpen) onThreadFailure(error);
  };

  worker.onmessage = ({ data }: MessageEvent<ReplyMessage>) => {
    if ('kind' in data) {
      if (data.kind === 'ready') {
        isOpen = true;
        opened.resolve();
      } else if (data.kind === 'busy') onBusy();
      else if (isOpen) handleFailure(toError(data.error));
      else opened.reject(toError(data.error));
      return;
    }
    const request = pending.get(data.id);
    pending.delete(data.id);
    if ('error' in data) request?.reject(toError(data.error));
    else request?.resolve({ results: data.results.map(unpackResult), output: data.output, ms: data.ms });
  };
  worker.onerror = event => handleFailure(new LibsqlError(`database thread failed: ${event.message}`, 'THREAD_DIED'));
  worker.addEventListener('close', () => handleFailure(new LibsqlError('database thread ended', 'THREAD_DIED')));

  worker.postMessage(options.open);
  try {
    await opened.promise;
  } catch (error) {
    endedWith ??= error as Error;
    worker.terminate();
    throw error;
  }

  const send: DatabaseThread['send'] = async (request, given = []) => {
    if (endedWith) throw endedWith;
    if (closing && request.kind !== 'close') throw closedError();
    if (pending.size >= maxQueueDepth && request.kind !== 'close')
      throw new LibsqlError('the database queue is full', 'QUEUE_FULL');
    const id = nextId++;
    const transfer = [...given];
    worker.postMessage(packRequest(request, id, transfer), transfer);
    const { promise, resolve, reject } = Promise.withResolvers<ThreadReply>();
    pending.set(id, { resolve, reject });
    return promise;
  };

  const close = async (): Promise<void> => {
    await send({ kind: 'close' });
    endedWith = closedError();
    worker.terminate();
  };

  return {
    send,
    queueDepth: () => pending.size,
    close: async () => {
      if (endedWith) return;
      closing ??= close();
      await closing;
    },
    terminate: () => {
      if (endedWith) return;
      endedWith = closedError();
      rejectPending(endedWith);
      // Never ends a thread while a statement runs: libSQL would abort the whole process when the statement returns.
      const id = nextId++;
      const end = (): void => worker.terminate();
      pending.set(id, { resolve: end, reject: end });
      worker.postMessage({ kind: 'close', id } satisfies RequestMessage);
    },
  };
}
