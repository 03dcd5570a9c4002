/* Senders that retry, on a test server: deliveries with and without an id, received at chosen times. */
import { toFieldLines } from '../core/headers.ts';
import type { TestAccount, TestServer } from './test-server.ts';

export type SentAttempt = {
  receivedAt: number;
  /** GitHub's id of the delivery; without one, attempts are recognised by their content. */
  id?: string | undefined;
  body?: string;
  path?: string;
};

export type PlacedEvent = {
  id: string;
  receivedAt: number;
  signatureValid: boolean | null;
  payloadPreview: string;
  delivery: { key: string; basis: string; attempt: number; attempts: number };
};
export type PlacedPage = { events: PlacedEvent[]; nextCursor: string | null; scannedTo: number | null };
export type FoundDelivery = {
  key: string;
  basis: string;
  platform: string | null;
  attempts: (PlacedEvent & { gapMs: number | null; answered: { status: number | null } })[];
  bodiesDiffer: boolean;
};

/** Captures attempts without a socket, and reads them through the API. */
export async function openRetryingSender({ services }: TestServer, account: TestAccount) {
  const endpoint = await account.createEndpoint();
  const { rows } = await services.database.client.execute({
    sql: 'SELECT seq, token FROM endpoints WHERE id = ?',
    args: [endpoint.id],
  });
  const address = { seq: Number(rows[0]?.[0]), token: String(rows[0]?.[1]) };
  const send = async ({ receivedAt, id, body = '{}', path = '' }: SentAttempt): Promise<string> => {
    const headers = id === undefined ? [] : ['X-GitHub-Event', 'push', 'X-GitHub-Delivery', id];
    const { id: event } = await services.capture.record(address, {
      method: 'POST',
      path,
      query: null,
      fields: toFieldLines(['Content-Type', 'application/json', ...headers]),
      body: Buffer.from(body),
      sourceIp: '127.0.0.1',
      receivedAt,
    });
    return event;
  };
  const page = (more = ''): Promise<PlacedPage> =>
    account.json<PlacedPage>(200, 'GET', `/api/events?endpointId=${endpoint.id}${more}`);
  return {
    endpoint,
    seq: address.seq,
    send,
    /** Captures the attempts in this order. @returns the ids */
    async sendAll(attempts: readonly SentAttempt[]): Promise<string[]> {
      return Promise.all(attempts.map(send));
    },
    page,
    /** Reads all pages. @param between runs after each page */
    async walk(more: string, between?: () => Promise<unknown>): Promise<PlacedEvent[]> {
      const events: PlacedEvent[] = [];
      let cursor: string | null = null;
      do {
        const next: PlacedPage = await page(`${more}${cursor === null ? '' : `&cursor=${cursor}`}`);
        events.push(...next.events);
        cursor = next.nextCursor;
        await between?.();
      } while (cursor !== null);
      return events;
    },
    delivery: (key: string): Promise<FoundDelivery> =>
      account.json<FoundDelivery>(200, 'GET', `/api/deliveries/${key}?endpointId=${endpoint.id}`),
    statusOf: async (key: string): Promise<number> =>
      (await account.call('GET', `/api/deliveries/${key}?endpointId=${endpoint.id}`)).status,
    detail: (id: string): Promise<PlacedEvent> => account.json<PlacedEvent>(200, 'GET', `/api/events/${id}`),
  };
}
