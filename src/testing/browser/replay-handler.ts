/* A signed delivery to replay, and a local handler that gets it. */
import { createHmac } from 'node:crypto';
import { deliver } from './dashboard.ts';

export const secret = 'the secret of this webhook';
export const body = '{"order":7,"state":"paid"}';
export const signatureOf = (text: string): string =>
  `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

type Received = { path: string; body: string; signature: string | null; edited: string | null };

/** A local handler: it answers 404 first, then 200, each time with another body. */
export function openHandler() {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      const { pathname, search } = new URL(request.url);
      received.push({
        path: pathname + search,
        body: await request.text(),
        signature: request.headers.get('x-hub-signature-256'),
        edited: request.headers.get('x-hooktape-edited'),
      });
      const isFirst = received.length === 1;
      return Response.json(
        { answer: received.length, padding: isFirst ? 'x'.repeat(5000) : '' },
        { status: isFirst ? 404 : 200 },
      );
    },
  });
  return { received, host: `127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

/** Its signature is valid with the secret. @returns its id */
export const deliverSigned = (address: string): Promise<string> =>
  deliver(`${address}/orders?shop=7`, body, {
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'deployment',
      'x-hub-signature-256': signatureOf(body),
    },
  });
