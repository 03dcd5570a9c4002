/*
 * Reads a request body unchanged, limited per request and by a memory budget, so that many uploads at once cannot exhaust the
 * memory.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MemoryBudget } from '../core/concurrency/memory-budget.ts';

export type ReadBody =
  | { kind: 'complete'; body: Uint8Array; release: () => void }
  /** Reported at once; more may still be arriving. */
  | { kind: 'too_large' }
  | { kind: 'over_budget' }
  /** More may still be arriving. */
  | { kind: 'timed_out' }
  /** The client disconnected, or sent invalid HTTP, before the end. */
  | { kind: 'aborted' };

/** Sends `100 Continue` to a client that waits for it; HTTP/1.0 has no such response (RFC 9110 section 10.1.1). */
export function sendContinue({ headers, httpVersion }: IncomingMessage, res: ServerResponse): void {
  if (headers.expect !== undefined && httpVersion !== '1.0') res.writeContinue();
}

/** The first allocation of a body without a length; it doubles from there. */
const minBufferBytes = 16 << 10;

type ReadBodyOptions = {
  maxBytes: number;
  /** Without it only the listener limits the time (connection/body-pace.ts). */
  timeoutMs?: number | undefined;
  budget: MemoryBudget;
  /** Called when the body is going to be read: the moment for `100 Continue`. */
  beforeReading: () => void;
};

/**
 * Never rejects. After `complete` the caller must call `release` when it no longer holds the body. The body is copied into one buffer,
 * which is what counts against the budget: HTTP chunks may be one byte long, and each would be an object.
 */
export function readBody(
  req: IncomingMessage,
  { maxBytes, timeoutMs, budget, beforeReading }: ReadBodyOptions,
): Promise<ReadBody> {
  const declared = Number(req.headers['content-length'] ?? Number.NaN);
  if (declared > maxBytes) return Promise.resolve({ kind: 'too_large' });
  beforeReading();
  const maxExpectedBytes = Number.isNaN(declared) ? maxBytes : declared;
  return new Promise(resolve => {
    let buffer = new ArrayBuffer(0);
    let size = 0;
    let isSettled = false;
    // The listeners stay, because removing four of them from each request would cost more than a call without effect.
    const settle = (result: ReadBody): void => {
      isSettled = true;
      clearTimeout(timer);
      if (result.kind !== 'complete') budget.give(buffer.byteLength);
      buffer = new ArrayBuffer(0);
      resolve(result);
    };
    const growTo = (bytes: number): boolean => {
      const held = buffer.byteLength;
      if (bytes <= held) return true;
      const next = Math.max(bytes, Math.min(maxExpectedBytes, Math.max(minBufferBytes, 2 * held)));
      if (!budget.take(next - held)) return false;
      // `transfer` frees the old buffer at once; copying would leave it to the garbage collector.
      buffer = buffer.transfer(next);
      return true;
    };
    const onData = (chunk: Buffer): void => {
      if (isSettled) return;
      if (size + chunk.length > maxBytes) settle({ kind: 'too_large' });
      else if (!growTo(size + chunk.length)) settle({ kind: 'over_budget' });
      else {
        chunk.copy(new Uint8Array(buffer), size);
        size += chunk.length;
      }
    };
    const onEnd = (): void => {
      if (isSettled) return;
      budget.give(buffer.byteLength - size);
      const body = Buffer.from(buffer.byteLength > size ? buffer.transfer(size) : buffer);
      settle({ kind: 'complete', body, release: () => budget.give(size) });
    };
    const onAborted = (): void => {
      if (!isSettled) settle({ kind: 'aborted' });
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => settle({ kind: 'timed_out' }), timeoutMs);
    req.on('data', onData).on('end', onEnd).on('error', onAborted).on('close', onAborted);
  });
}
