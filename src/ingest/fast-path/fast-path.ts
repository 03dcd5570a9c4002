/*
 * The fast path: reads plain deliveries of one connection without an HTTP server. It accepts a request whose head arrived in
 * one piece and has the strictest form (request-head.ts), waits for its body, and answers it before it reads the next one. At
 * any other request it hands the connection over to the HTTP server permanently, with all bytes from the beginning of that
 * request.
 */

import type { MemoryBudget } from '../../core/concurrency/memory-budget.ts';
import type { ChosenAnswer, DeliveryResponse } from '../../core/delivery-response.ts';
import { trimBlanks } from '../../core/headers.ts';
import type { Sender } from '../../http/client-address.ts';
import type { FastPathFactory } from '../../http/listener/listener.ts';
import { resetConnection, runAnswer, watchSender } from '../answers/timing.ts';
import { type RequestHead, readRequestHead } from './request-head.ts';
import { createResponseFormatter } from './response-format.ts';

export type BufferedDelivery = Sender & {
  method: string;
  target: string;
  /** Header fields as on the wire, each line with its CRLF. */
  fields: Uint8Array;
  body: Uint8Array;
};

export type FastPathOptions = {
  deliver: (delivery: BufferedDelivery) => Promise<DeliveryResponse>;
  /** The HTTP server handles larger bodies, with different limits and budgets. */
  maxBodyBytes: number;
  /** Counts complete deliveries, so that unfinished deliveries cannot use up their memory. */
  completeBudget: MemoryBudget;
  /** Counts deliveries that are still arriving, in the shares of `budgetHoldersOf` their senders. */
  unfinishedBudget: MemoryBudget;
  budgetHoldersOf: (sender: Sender) => readonly string[];
  /** False if the target has no endpoint, or if finding out takes time: then its body is not buffered here. */
  isKnownTarget: (target: string) => boolean;
  /** Whether `Host` is the host of ingest URLs; undefined: any host is accepted. */
  isIngestHost?: ((host: string) => boolean) | undefined;
  /** Called when a sender disconnects before the end of its delivery. */
  onAborted: () => void;
};

/** The most chunks of an unfinished delivery that are kept before they are joined. */
const maxChunks = 64;

export function createFastPath(options: FastPathOptions): FastPathFactory {
  const { deliver, maxBodyBytes, completeBudget, unfinishedBudget, budgetHoldersOf, isKnownTarget, onAborted } =
    options;
  const { isIngestHost } = options;

  return ({ keepAliveSeconds, handOver, onError }) => {
    const format = createResponseFormatter(keepAliveSeconds);

    return connection => {
      const { socket } = connection;
      const peer = socket.remoteAddress ?? '';
      let unread: Buffer[] = [];
      let unreadBytes = 0;
      /** The head of the delivery whose body is arriving, or that was submitted. */
      let head: RequestHead | undefined;
      /** The bytes that the current delivery holds of a budget: of the unfinished budget while there are `holders`. */
      let heldBytes = 0;
      let holders: readonly string[] | undefined;
      /** Deliveries of one connection usually have the same sender. */
      let lastSender: { forwardedFor: string | undefined; holders: readonly string[] } | undefined;
      let isAnswering = false;
      let hasEnded = false;

      const onData = (chunk: Buffer): void => {
        unread.push(chunk);
        unreadBytes += chunk.length;
        // Backpressure: one delivery at a time.
        if (isAnswering) socket.pause();
        else advance();
      };

      const advance = (): void => {
        if (!head) {
          const read = readRequestHead(joinUnread());
          if (read === 'unsupported' || !isEligible(read)) {
            leaveFastPath();
            return;
          }
          head = read;
          connection.setPhase('body');
        }
        const isBodyComplete = hasBodyOf(head);
        if (!(isBodyComplete ? holdComplete() : holdUnfinished(head))) leaveFastPath();
        else if (isBodyComplete) submit(head, joinUnread());
        else if (hasEnded) connection.endWith();
      };

      const hasBodyOf = ({ bodyFrom, bodyBytes }: RequestHead): boolean => unreadBytes >= bodyFrom + bodyBytes;
      const isEligible = (read: RequestHead): boolean =>
        read.bodyBytes <= maxBodyBytes && (hasBodyOf(read) || isKnownTarget(read.target)) && isHere(read);
      const isHere = ({ fieldsFrom, fieldsTo }: RequestHead): boolean =>
        !isIngestHost || isIngestHost(hostIn(joinUnread().toString('latin1', fieldsFrom, fieldsTo)));

      /** @returns false if the budget has no space */
      const holdComplete = (): boolean => {
        if (!completeBudget.take(unreadBytes)) return false;
        release();
        heldBytes = unreadBytes;
        return true;
      };
      const holdUnfinished = ({ forwardedFor }: RequestHead): boolean => {
        // The budget counts all the memory that is held: a small part of a large read, or an object for every few bytes, would not.
        if (!holders || unread.length > maxChunks) unread = [Buffer.concat(unread, unreadBytes)];
        holders ??= findHolders(forwardedFor);
        if (!unfinishedBudget.take(unreadBytes - heldBytes, holders)) return false;
        heldBytes = unreadBytes;
        return true;
      };
      const findHolders = (forwardedFor: string | undefined): readonly string[] => {
        if (lastSender?.forwardedFor !== forwardedFor || !lastSender)
          lastSender = { forwardedFor, holders: budgetHoldersOf({ peer, forwardedFor }) };
        return lastSender.holders;
      };
      const release = (): void => {
        if (holders) unfinishedBudget.give(heldBytes, holders);
        else completeBudget.give(heldBytes);
        holders = undefined;
        heldBytes = 0;
      };

      const leaveFastPath = (): void => {
        socket.off('data', onData).off('end', onEnd).off('close', onClose);
        release();
        connection.setPhase('head');
        handOver(connection, joinUnread());
      };

      const joinUnread = (): Buffer => {
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
        connection.setPhase('response');
        const fields = bytes.subarray(read.fieldsFrom, read.fieldsTo);
        const body = bytes.subarray(bodyFrom, end);
        deliver({ method, target, fields, body, forwardedFor, peer })
          .then(response => respond(response, keepAlive))
          .catch(error => {
            release();
            onError(error);
            socket.destroy();
          });
      };

      const respond = (response: DeliveryResponse, keepAlive: boolean): void => {
        release();
        if (response.chosen) respondChosen(response, response.chosen, keepAlive);
        else send(response, keepAlive);
      };

      const respondChosen = (response: DeliveryResponse, chosen: ChosenAnswer, keepAlive: boolean): void => {
        const { hold } = chosen;
        if (socket.destroyed) return void hold?.release();
        const unwatch = hold && watchSender(socket, hold);
        runAnswer(chosen, {
          answer: () => {
            unwatch?.();
            send(response, keepAlive);
          },
          head: () => void socket.write(format.head(response.status, chosen, true)),
          close: connection.endWith,
          reset: () => resetConnection(socket),
        });
      };

      const send = (response: DeliveryResponse, keepAlive: boolean): void => {
        isAnswering = false;
        head = undefined;
        if (socket.destroyed) return;
        const isLast = !keepAlive || (hasEnded && unreadBytes === 0) || connection.isStopping();
        const bytes = response.chosen
          ? Buffer.concat([format.head(response.status, response.chosen, isLast), response.chosen.body])
          : format.usual(response, isLast);
        if (isLast) return void connection.endWith(bytes);
        if (socket.write(bytes, 'latin1')) {
          readNext();
          return;
        }
        // A client that does not read its responses gets no further responses.
        connection.setPhase('flush');
        socket.pause().once('drain', readNext);
      };

      const readNext = (): void => {
        if (socket.isPaused()) socket.resume();
        if (unreadBytes === 0) connection.setPhase('idle');
        else advance();
      };

      // The client has closed its half of the connection, and may still wait for responses.
      const onEnd = (): void => {
        hasEnded = true;
        if (isAnswering) return;
        // The body will never be complete; earlier responses may still be on their way.
        if (head) connection.endWith();
        // With unread bytes there is another request, which is answered after the last response was read.
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

const hostIn = (fieldLines: string): string => trimBlanks(/^host:([^\r]*)/im.exec(fieldLines)?.[1] ?? '');
