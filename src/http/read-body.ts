/*
 * Reads a request body off the wire as it is: bounded per delivery and over all deliveries together, so that many large
 * uploads at once cannot exhaust the memory.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Where the bytes of one body count. */
export type BodyBudget = {
  /** @returns false when there is no room for so many more bytes */
  take: (bytes: number) => boolean;
  give: (bytes: number) => void;
};

export type ReadBody =
  | { kind: 'whole'; body: Uint8Array; release: () => void }
  /** Over the limit, known as soon as that is certain; more may still be arriving. */
  | { kind: 'too_large' }
  | { kind: 'no_room' }
  /** Not there within its time; more may still be arriving. */
  | { kind: 'late' }
  /** The sender went away or broke the protocol before the end. */
  | { kind: 'aborted' };

/** Who asked before sending is told to go on; but one of HTTP/1.0 knows no such answer (RFC 9110 section 10.1.1). */
export function sendContinue({ headers, httpVersion }: IncomingMessage, res: ServerResponse): void {
  if (headers.expect !== undefined && httpVersion !== '1.0') res.writeContinue();
}

/** What is taken at once: neither for a byte that nothing follows, nor again and again for a large body. */
const leastBlockBytes = 16 << 10;

type ReadBodyOptions = {
  maxBytes: number;
  /** Without it the pace of the connection alone is a limit (body-pace.ts). */
  timeoutMs?: number | undefined;
  budget: BodyBudget;
  /** Called when the body will be read: the moment for `100 Continue`. */
  beforeReading: () => void;
};

/**
 * Never rejects. After `whole` the caller must call `release` when it no longer holds the body. However small the pieces are that
 * it comes in (a chunk may be one byte, and an object of its own here), it is kept in one block, and the block is what counts.
 */
export function readBody(
  req: IncomingMessage,
  { maxBytes, timeoutMs, budget, beforeReading }: ReadBodyOptions,
): Promise<ReadBody> {
  const declared = Number(req.headers['content-length'] ?? Number.NaN);
  if (declared > maxBytes) return Promise.resolve({ kind: 'too_large' });
  beforeReading();
  const mostBytes = Number.isNaN(declared) ? maxBytes : declared;
  return new Promise(resolve => {
    let block = new ArrayBuffer(0);
    let size = 0;
    let isOver = false;
    // The listeners stay: they do nothing any more, and taking four of them off each request would cost something.
    const finish = (result: ReadBody): void => {
      isOver = true;
      clearTimeout(timer);
      if (result.kind !== 'whole') budget.give(block.byteLength);
      block = new ArrayBuffer(0);
      resolve(result);
    };
    const makeRoom = (bytes: number): boolean => {
      const held = block.byteLength;
      if (bytes <= held) return true;
      const next = Math.max(bytes, Math.min(mostBytes, Math.max(leastBlockBytes, 2 * held)));
      if (!budget.take(next - held)) return false;
      // The old block is gone at once, and not when the collector comes by.
      block = block.transfer(next);
      return true;
    };
    const onData = (chunk: Buffer): void => {
      if (isOver) return;
      if (size + chunk.length > maxBytes) finish({ kind: 'too_large' });
      else if (!makeRoom(size + chunk.length)) finish({ kind: 'no_room' });
      else {
        chunk.copy(new Uint8Array(block), size);
        size += chunk.length;
      }
    };
    const onEnd = (): void => {
      if (isOver) return;
      budget.give(block.byteLength - size);
      const body = Buffer.from(block.byteLength > size ? block.transfer(size) : block);
      finish({ kind: 'whole', body, release: () => budget.give(size) });
    };
    const onGone = (): void => {
      if (!isOver) finish({ kind: 'aborted' });
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => finish({ kind: 'late' }), timeoutMs);
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
