/* A session of `hooktape listen` that a test controls: it emits the test's events and records the calls of its methods. */
import type { CapturedEvent, ListenEvent, ListenSession, TargetResponse } from '../cli/listen/model.ts';

const receivedAt = Date.UTC(2026, 10, 22, 14, 3, 22);

export const capturedEvent = (given: Partial<CapturedEvent> & { text?: string } = {}): CapturedEvent => {
  const { text = '{"id":"in_1","amount":4200}', ...event } = given;
  const body = event.body ?? Buffer.from(text);
  return {
    id: 'evt_1',
    endpointId: 'ep_1',
    endpoint: 'acme',
    type: 'invoice.paid',
    platform: 'stripe',
    method: 'POST',
    path: '',
    query: null,
    receivedAt,
    size: body.length,
    verdict: 'valid',
    preview: Buffer.from(body).toString().slice(0, 200),
    headers: [
      ['Content-Type', 'application/json'],
      ['User-Agent', 'Stripe/1.0 (+https://stripe.com/docs/webhooks)'],
    ],
    ...event,
    body,
  };
};

export const answer = (
  status: number | null,
  given: Partial<Omit<TargetResponse, 'body'>> & { text?: string } = {},
): TargetResponse => {
  const { text = status === 200 ? 'ok' : '', ...rest } = given;
  return {
    status,
    ms: 12,
    headers: [['content-type', 'text/plain']],
    body: Buffer.from(text),
    isCut: false,
    isOk: status !== null && status >= 200 && status < 300,
    error: null,
    ...rest,
  };
};

export const targetUrl = 'http://localhost:3000/webhooks';

export function createLedSession(given: Partial<ListenSession> = {}) {
  const listeners = new Set<(event: ListenEvent) => void>();
  const calls: unknown[][] = [];
  let isPaused = false;
  const session: ListenSession = {
    targets: [{ name: targetUrl, url: targetUrl, where: null }],
    subscribe: on => {
      listeners.add(on);
      return () => void listeners.delete(on);
    },
    behind: () => 0,
    isConnected: () => true,
    isPaused: () => isPaused,
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
    },
    again: async id => {
      calls.push(['again', id]);
      return [answer(200)];
    },
    sendEdited: async (id, edit) => {
      calls.push(['sendEdited', id, Buffer.from(edit.body ?? '', edit.bodyEncoding).toString()]);
      return [answer(200)];
    },
    skip: id => {
      calls.push(['skip', id]);
      return true;
    },
    pin: async id => {
      calls.push(['pin', id]);
    },
    setFilter: where => {
      const [, type] = /^type:(\S+)$/.exec(where) ?? [];
      return type === undefined
        ? { isOk: false, message: `unknown field in ${where}`, position: 0 }
        : { isOk: true, matches: event => event.type === type };
    },
    openUrl: id => `http://localhost:4665/events/${id}`,
    command: id => `hooktape send ${id} --to ${targetUrl}`,
    stop: async () => {
      calls.push(['stop']);
    },
    ...given,
  };
  const say = (event: DistributiveOmit<ListenEvent, 'at'> & { at?: number }): void => {
    for (const listener of listeners) listener({ at: receivedAt, ...event } as ListenEvent);
  };
  return { session, say, calls, subscribers: () => listeners.size };
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
