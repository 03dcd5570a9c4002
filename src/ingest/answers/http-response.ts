/* Sends an answer that a rule chose as a response of node:http. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChosenAnswer } from '../../core/delivery-response.ts';
import { announcedBytes, resetConnection, runAnswer, watchSender } from './timing.ts';

export function sendChosen(req: IncomingMessage, res: ServerResponse, status: number, chosen: ChosenAnswer): void {
  const { socket } = req;
  const { body, hold } = chosen;
  const unwatch = hold && watchSender(socket, hold);
  const writeHead = (): void => {
    for (const [name, values] of Map.groupBy(chosen.fields, ([name]) => name))
      res.setHeader(
        name,
        values.map(([, value]) => value),
      );
    const announced = announcedBytes({ status, chosen });
    if (announced !== undefined) res.setHeader('Content-Length', announced);
    // The rest of the body is discarded while the connection is closing.
    if (!req.complete) res.setHeader('Connection', 'close');
    res.writeHead(status);
  };
  if (socket.destroyed) return void hold?.release();
  runAnswer(chosen, {
    answer: () => {
      unwatch?.();
      writeHead();
      res.end(req.method === 'HEAD' || body.length === 0 ? undefined : body);
    },
    head: () => {
      writeHead();
      res.flushHeaders();
    },
    close: () => socket.destroySoon(),
    reset: () => resetConnection(socket),
  });
}
