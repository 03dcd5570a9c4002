/* A server with destinations on this host, for tests of forwards. */
import type { Clock } from '../core/clock.ts';
import type { Forward, ForwardDelivery, ForwardDeliveryPage } from '../features/forwards/model.ts';
import { createDestinations } from './destinations.ts';
import { eventually } from './poll.ts';
import { openTestServer, type TestServerOptions } from './test-server.ts';

/** Times so short that a test does not have to wait. */
export const quickRetry = { for: '1h', first: '1ms', max: '1ms' };

export type ForwardBench = Awaited<ReturnType<typeof openForwards>>;

export async function openForwards({ clock, ...more }: { clock?: Clock } & TestServerOptions = {}) {
  const server = await openTestServer({
    env: { HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8' },
    ...(clock && { clock }),
    ...more,
  });
  const ada = await server.createAccount('ada@example.com');
  const { destination, closeDestinations } = createDestinations();
  const path = (endpoint: { id: string }, id = ''): string =>
    `/api/endpoints/${endpoint.id}/forwards${id === '' ? '' : `/${id}`}`;
  const show = (endpoint: { id: string }, id: string) => ada.json<Forward>(200, 'GET', path(endpoint, id));
  return {
    server,
    ada,
    path,
    show,
    destination,
    create: (endpoint: { id: string }, body: object) =>
      ada.json<Forward>(201, 'POST', path(endpoint), { name: 'one', ...body }),
    act: (endpoint: { id: string }, id: string, verb: string, body?: object) =>
      ada.json<Forward>(200, 'POST', `${path(endpoint, id)}/${verb}`, body),
    async until(endpoint: { id: string }, id: string, is: (forward: Forward) => boolean): Promise<Forward> {
      let last: Forward | undefined;
      await eventually(async () => {
        last = await show(endpoint, id);
        return is(last);
      }, 20_000).catch(error => {
        throw new Error(`not as expected: ${JSON.stringify(last)}`, { cause: error });
      });
      return show(endpoint, id);
    },
    deliveries: async (endpoint: { id: string }, id: string, query = 'limit=100'): Promise<ForwardDelivery[]> =>
      (await ada.json<ForwardDeliveryPage>(200, 'GET', `${path(endpoint, id)}/deliveries?${query}`)).deliveries,
    /** Waits until all stored events are in the queues, and all due items were tried. */
    async idle(): Promise<void> {
      await server.services.background.idle();
      await server.services.queues.idle();
    },
    async close(): Promise<void> {
      await closeDestinations();
      await server.close();
    },
  };
}
