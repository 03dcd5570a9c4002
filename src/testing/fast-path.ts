/**
 * A front that records the deliveries of the fast path and the requests of the HTTP server, so that tests know which of the two
 * got a request.
 */

import type { MemoryBudget } from '../core/concurrency/memory-budget.ts';
import type { DeliveryResponse } from '../core/delivery-response.ts';
import { createFront } from '../front.ts';
import type { BufferedDelivery } from '../ingest/fast-path/fast-path.ts';
import { exchange, openWire, type Wire } from './raw-http.ts';

export const maxBodyBytes = 1000;
/** The size of the budget when no request is in progress. */
export const budgetBytes = 10_000;

export type FastPathServer = Awaited<ReturnType<typeof openFastPath>>;

export const ok = (body = '{"ok":true}'): DeliveryResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body,
});

export const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

export const post = (body: string, ...fields: string[]): string =>
  ['POST /in/t HTTP/1.1', 'Host: x', `Content-Length: ${body.length}`, ...fields, '', body].join('\r\n');

export async function openFastPath() {
  const wires: Wire[] = [];
  const server = {
    /** Deliveries of the fast path. */
    arrived: [] as (Pick<BufferedDelivery, 'method' | 'target' | 'forwardedFor'> & { fields: string; body: string })[],
    handedOver: [] as string[],
    errors: [] as unknown[],
    aborted: 0,
    free: budgetBytes,
    answer: (_delivery: BufferedDelivery): DeliveryResponse | Promise<DeliveryResponse> => ok(),
  };
  const budget: MemoryBudget = {
    take: bytes => {
      if (bytes > server.free) return false;
      server.free -= bytes;
      return true;
    },
    give: bytes => {
      server.free += bytes;
    },
  };
  const front = createFront({
    ingest: {
      handleRequest: async (req, res, target) => {
        let body = '';
        for await (const chunk of req) body += latin1(chunk as Buffer);
        server.handedOver.push(`${req.method} ${target} ${body}`);
        res.end('complete');
      },
      fastPath: {
        deliver: async delivery => {
          const { method, target, forwardedFor, fields, body } = delivery;
          server.arrived.push({ method, target, forwardedFor, fields: latin1(fields), body: latin1(body) });
          return server.answer(delivery);
        },
        maxBodyBytes,
        completeBudget: budget,
        unfinishedBudget: budget,
        budgetHoldersOf: ({ peer }) => [peer],
        isKnownTarget: target => target !== '/in/unknown',
        onAborted: () => {
          server.aborted++;
        },
      },
    },
    fetch: () => new Response('app'),
    clientAddress: ({ peer }) => peer,
    onError: error => server.errors.push(error),
  });
  const port = await front.listen(0, '127.0.0.1');
  return Object.assign(server, {
    front,
    port,
    open: async (): Promise<Wire> => {
      const wire = await openWire(`http://127.0.0.1:${port}`);
      wires.push(wire);
      return wire;
    },
    /** Resolves once the front has read what was written before. */
    hasRead: async (): Promise<void> => {
      await exchange(`http://127.0.0.1:${port}`, 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n');
    },
    close: async (): Promise<void> => {
      for (const wire of wires) wire.destroy();
      await front.close(0);
    },
  });
}

/** The number of 200 responses received. */
export const answers = (wire: Wire): number => wire.received().split('HTTP/1.1 200 OK').length - 1;
