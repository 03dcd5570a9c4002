/* A listener that is simulated over HTTP on a real connection, with its state for tests. */
import type { EventDetail, ReplayAttempt } from '../features/events/model.ts';
import type { Listener, ListenerReplay, ListenerReplays } from '../features/listeners/model.ts';
import { eventually } from './poll.ts';
import { openTestServer, type TestAccount, type TestServer } from './test-server.ts';

export type Refusal = { error: string };
type Endpoint = { id: string };

export async function createListenerPlayer(server: TestServer, ada: TestAccount) {
  const origin = await server.listen();

  const listener = (endpoint: Endpoint, name: string, { instance = crypto.randomUUID(), who = ada } = {}) => {
    const call = async (body: object = {}, signal?: AbortSignal) => {
      const response = await fetch(`${origin}/api/endpoints/${endpoint.id}/listeners/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${who.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ instance, targets: ['http://localhost:3000'], ...body }),
        ...(signal && { signal }),
      });
      return { status: response.status, body: (await response.json()) as ListenerReplays & Refusal };
    };
    return {
      call,
      /** Waits for the next replay. */
      take: async (): Promise<ListenerReplay> => {
        const { body } = await call({ wait: 25 });
        const [replay] = body.replays;
        if (!replay) throw new Error('no replay');
        return replay;
      },
      answer: (id: string, answer: object = {}) =>
        call({
          answers: [
            {
              id,
              destination: 'http://localhost:3000/hooks',
              status: 200,
              durationMs: 7,
              response: { headers: [['X-A', '1']], body: 'done', bodyEncoding: 'utf8', truncated: false },
              ...answer,
            },
          ],
        }),
    };
  };
  const listed = async (endpoint: Endpoint): Promise<Listener[]> =>
    (await ada.json<{ listeners: Listener[] }>(200, 'GET', `/api/endpoints/${endpoint.id}/listeners`)).listeners;

  return {
    listener,
    listed,
    isListed: (endpoint: Endpoint, name: string) =>
      eventually(async () => (await listed(endpoint)).some(one => one.name === name)),
    isGone: (endpoint: Endpoint, name: string) =>
      eventually(async () => !(await listed(endpoint)).some(one => one.name === name)),
    replay: <T = Record<string, unknown>>(status: number, id: string, body: object, who = ada): Promise<T> =>
      who.json<T>(status, 'POST', `/api/events/${id}/replay`, body),
    replaysOf: async (id: string): Promise<ReplayAttempt[]> =>
      (await ada.json<EventDetail>(200, 'GET', `/api/events/${id}`)).replays,
  };
}

/** A server with two accounts, and a simulated listener for the first of them. */
export async function openListenerHarness() {
  const server = await openTestServer();
  const ada = await server.createAccount('ada@example.com');
  const bob = await server.createAccount('bob@example.com');
  return { server, ada, bob, player: await createListenerPlayer(server, ada) };
}
