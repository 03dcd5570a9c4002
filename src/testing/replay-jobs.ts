/* A server with destinations on this host, for tests of replay jobs. */
import type { ReplayJob, ReplayJobItemPage } from '../features/replay-jobs/model.ts';
import { createDestinations } from './destinations.ts';
import { eventually } from './poll.ts';
import { openTestServer } from './test-server.ts';

export const ok = (): Response => new Response('{}', { status: 200 });
/** Bodies with the numbers 0 to `count` - 1. */
export const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => `{"n":${n}}`);

export type JobBench = Awaited<ReturnType<typeof openJobs>>;

export async function openJobs() {
  const server = await openTestServer({ env: { HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8' } });
  const ada = await server.createAccount('ada@example.com');
  const { destination, closeDestinations } = createDestinations();
  const job = (id: string) => ada.json<ReplayJob>(200, 'GET', `/api/replay-jobs/${id}`);
  return {
    server,
    ada,
    destination,
    /** A destination that answers its requests once `release` is called. */
    heldDestination() {
      const { promise, resolve: release } = Promise.withResolvers<void>();
      return { ...destination(() => promise.then(ok)), release: () => release() };
    },
    async endpointWith(bodies: readonly string[]) {
      const endpoint = await ada.createEndpoint();
      const ids: string[] = [];
      for (const body of bodies) ids.push(await server.deliver(endpoint, body));
      return { ...endpoint, ids };
    },
    create: (body: object) => ada.json<ReplayJob>(202, 'POST', '/api/replay-jobs', body),
    async until(id: string, state: ReplayJob['state']): Promise<ReplayJob> {
      await eventually(async () => (await job(id)).state === state, 20_000);
      return job(id);
    },
    items: (id: string, query = 'limit=100') =>
      ada.json<ReplayJobItemPage>(200, 'GET', `/api/replay-jobs/${id}/items?${query}`),
    async close(): Promise<void> {
      await closeDestinations();
      await server.close();
    },
  };
}
