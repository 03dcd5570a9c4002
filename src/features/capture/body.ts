/*
 * Reads a request body off the wire as it is: bounded per delivery and over all deliveries together, so that many large
 * uploads at once cannot exhaust the memory.
 */
import type { IncomingMessage } from 'node:http';

export type BodyBudget = {
  /** Takes that many bytes from the common budget; false when they are not there. */
  take: (bytes: number) => boolean;
  give: (bytes: number) => void;
};

export function createBodyBudget(totalBytes: number): BodyBudget {
  let free = totalBytes;
  return {
    take: bytes => {
      if (bytes > free) return false;
      free -= bytes;
      return true;
    },
    give: bytes => {
      free += bytes;
    },
  };
}

export type ReadBody =
  | { kind: 'whole'; body: Uint8Array; release: () => void }
  /** Over the limit, known as soon as that is certain; more may still be arriving. */
  | { kind: 'too_large' }
  | { kind: 'no_room' }
  /** The sender went away or broke the protocol before the end. */
  | { kind: 'aborted' };

/**
 * Never rejects. After `whole` the caller must call `release` when it no longer holds the body.
 * @param wanted called when the body will be read: the moment for `100 Continue`
 */
export function readBody(
  req: IncomingMessage,
  maxBytes: number,
  budget: BodyBudget,
  wanted: () => void,
): Promise<ReadBody> {
  const declared = Number(req.headers['content-length'] ?? Number.NaN);
  if (declared > maxBytes) return Promise.resolve({ kind: 'too_large' });
  wanted();
  return new Promise(resolve => {
    let chunks: Buffer[] = [];
    let size = 0;
    let isOver = false;
    // The listeners stay: they do nothing any more, and taking four of them off each request would cost something.
    const finish = (result: ReadBody): void => {
      isOver = true;
      chunks = [];
      if (result.kind !== 'whole') budget.give(size);
      resolve(result);
    };
    const onData = (chunk: Buffer): void => {
      if (isOver) return;
      if (size + chunk.length > maxBytes) finish({ kind: 'too_large' });
      else if (!budget.take(chunk.length)) finish({ kind: 'no_room' });
      else {
        size += chunk.length;
        chunks.push(chunk);
      }
    };
    const onEnd = (): void => {
      if (isOver) return;
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size);
      finish({ kind: 'whole', body, release: () => budget.give(size) });
    };
    const onGone = (): void => {
      if (!isOver) finish({ kind: 'aborted' });
    };
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
