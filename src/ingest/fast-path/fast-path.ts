/*
 * The short way for plain deliveries: one connection, read without an HTTP server. It takes a request whose head came as a
 * whole and is of the strictest form (core/request-head), waits for its body, and answers before it looks at the next. Whatever
 * else comes is handed over, with every byte from the beginning of that request, to the complete server, which keeps the connection.
 */
import { STATUS_CODES } from 'node:http';
import type { Answer } from '../../core/answer.ts';
import type { MemoryBudget } from '../../core/memory-budget.ts';
import type { Sender } from '../../http/client-address.ts';
import type { FastPath } from '../../http/listener.ts';
import { type RequestHead, readRequestHead } from './request-head.ts';

/** A delivery that is there as a whole. */
export type BufferedDelivery = Sender & {
  method: string;
  target: string;
  /** Header fields as on the wire, each line with its CRLF. */
  fields: Uint8Array;
  body: Uint8Array;
};

/** What is taken the short way, and what becomes of it. */
export type FastPathOptions = {
  deliver: (delivery: BufferedDelivery) => Promise<Answer>;
  /** Bodies of more bytes are for the complete server, which takes them piece by piece. */
  maxBodyBytes: number;
  /** Where deliveries count that are there: no unfinished one can keep them out. */
  completeBudget: MemoryBudget;
  /** Where those count that are still arriving, with shares for `holdersOf` their senders. */
  unfinishedBudget: MemoryBudget;
  holdersOf: (sender: Sender) => readonly string[];
  /** Whether somebody wants it, as far as that can be said at once: nothing is kept of a body for nobody. */
  isKnownTarget: (target: string) => boolean;
  /** Whoever sent it went away before its end. */
  onAborted: () => void;
};

/** Of an unfinished delivery: more are put together. */
const mostPieces = 64;

export function createFastPath(options: FastPathOptions): FastPath {
  const { deliver, maxBodyBytes, completeBudget, unfinishedBudget, holdersOf, isKnownTarget, onAborted } = options;

  return ({ keepAliveSeconds, handOver, onError }) => {
    const render = createRenderer(keepAliveSeconds);

    return connection => {
      const { socket } = connection;
      const peer = socket.remoteAddress ?? '';
      /** What has come and belongs to no delivery that was submitted. */
      let unread: Buffer[] = [];
      let unreadBytes = 0;
      /** Of the delivery whose body is arriving, or that was submitted. */
      let head: RequestHead | undefined;
      let held = 0;
      /** While it is unfinished: whose share it takes. The sender that this was worked out for is kept beside it. */
      let holders: readonly string[] | undefined;
      let known: { forwardedFor: string | undefined; holders: readonly string[] } | undefined;
      let isAnswering = false;
      let hasEnded = false;

      const onData = (chunk: Buffer): void => {
        unread.push(chunk);
        unreadBytes += chunk.length;
        // Nothing more is taken off the wire until there is an answer.
        if (isAnswering) socket.pause();
        else advance();
      };

      const advance = (): void => {
        if (!head) {
          const read = readRequestHead(joined());
          if (read === 'other' || !isTaken(read)) {
            leave();
            return;
          }
          head = read;
          connection.enter('body');
        }
        const isComplete = isWhole(head);
        if (!(isComplete ? holdComplete() : holdUnfinished(head))) leave();
        else if (isComplete) submit(head, joined());
        else if (hasEnded) connection.finish();
      };

      const isWhole = ({ bodyFrom, bodyBytes }: RequestHead): boolean => unreadBytes >= bodyFrom + bodyBytes;
      const isTaken = (read: RequestHead): boolean =>
        read.bodyBytes <= maxBodyBytes && (isWhole(read) || isKnownTarget(read.target));

      /** Counts what is kept here. @returns false when there is no room for it */
      const holdComplete = (): boolean => {
        if (!completeBudget.take(unreadBytes)) return false;
        release();
        held = unreadBytes;
        return true;
      };
      const holdUnfinished = ({ forwardedFor }: RequestHead): boolean => {
        // What counts is all that is held: neither the rest of a larger read, nor an object for every few bytes.
        if (!holders || unread.length > mostPieces) unread = [Buffer.concat(unread, unreadBytes)];
        holders ??= holdersFor(forwardedFor);
        if (!unfinishedBudget.take(unreadBytes - held, holders)) return false;
        held = unreadBytes;
        return true;
      };
      const holdersFor = (forwardedFor: string | undefined): readonly string[] => {
        if (known?.forwardedFor !== forwardedFor || !known)
          known = { forwardedFor, holders: holdersOf({ peer, forwardedFor }) };
        return known.holders;
      };
      const release = (): void => {
        if (holders) unfinishedBudget.give(held, holders);
        else completeBudget.give(held);
        holders = undefined;
        held = 0;
      };

      const leave = (): void => {
        socket.off('data', onData).off('end', onEnd).off('close', onClose);
        release();
        connection.enter('head');
        handOver(connection, joined());
      };

      const joined = (): Buffer => {
        const [first] = unread;
        if (unread.length === 1 && first) return first;
        const bytes = Buffer.concat(unread, unreadBytes);
        unread = [bytes];
        return bytes;
      };

      const submit = (read: RequestHead, bytes: Buffer): void => {
        const { method, target, forwardedFor, keepAlive, bodyFrom } = read;
        const end = bodyFrom + read.bodyBytes;
        isAnswering = true;
        unreadBytes = bytes.length - end;
        unread = unreadBytes > 0 ? [bytes.subarray(end)] : [];
        connection.enter('answer');
        const fields = bytes.subarray(read.fieldsFrom, read.fieldsTo);
        const body = bytes.subarray(bodyFrom, end);
        deliver({ method, target, fields, body, forwardedFor, peer })
          .then(answer => reply(answer, keepAlive))
          .catch(error => {
            release();
            onError(error);
            socket.destroy();
          });
      };

      const reply = (answer: Answer, keepAlive: boolean): void => {
        release();
        isAnswering = false;
        head = undefined;
        if (socket.destroyed) return;
        const isLast = !keepAlive || (hasEnded && unreadBytes === 0) || connection.isLast();
        const rendered = render(answer, isLast);
        if (isLast) return void connection.finish(rendered);
        if (socket.write(rendered, 'latin1')) {
          goOn();
          return;
        }
        // Who does not read its answers gets no further ones made.
        connection.enter('flush');
        socket.pause().once('drain', goOn);
      };

      const goOn = (): void => {
        if (socket.isPaused()) socket.resume();
        if (unreadBytes === 0) connection.enter('idle');
        else advance();
      };

      // Who has said all may still wait for its answer.
      const onEnd = (): void => {
        hasEnded = true;
        if (isAnswering) return;
        // Answers to what came before may still be on their way.
        if (head) connection.finish();
        // Else there is more to answer once what was answered is taken.
        else if (unreadBytes === 0) socket.end();
      };
      const onClose = (): void => {
        if (isAnswering || !head) return;
        release();
        onAborted();
      };
      socket.on('data', onData).on('end', onEnd).on('close', onClose);
    };
  };
}

/** Answers in the words of the complete server: the same fields in the same order. */
function createRenderer(keepAliveSeconds: number): (answer: Answer, isLast: boolean) => string | Buffer {
  let second = 0;
  let date = '';
  const dated = (): string => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      date = new Date(now * 1000).toUTCString();
    }
    return date;
  };
  const kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`;
  const last = 'Connection: close\r\n\r\n';

  return ({ status, headers, body }, isLast) => {
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
    for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
    const size = Buffer.byteLength(body);
    if (status !== 204) text += `content-length: ${size}\r\n`;
    text += `Date: ${dated()}\r\n${isLast ? last : kept}`;
    return size === body.length ? text + body : Buffer.concat([Buffer.from(text, 'latin1'), Buffer.from(body)]);
  };
}
