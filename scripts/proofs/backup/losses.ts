/* The whole data directory is lost, again and again, under load. */
import type { Checks } from '../../lib/checks.ts';
import { ensure } from '../../lib/checks.ts';
import { createRecorded, mixedPayloads } from './recorded.ts';
import type { Store } from './stores.ts';
import { lose, openWorld, resurrect, untilBackedUp } from './world.ts';

/** On a machine that is busy with this proof, an upload can take a second or two. */
const everyMs = 5000;

/** Besides deliveries: pins, tags, saved secrets and settings, changed in each life. */
async function changeThings(api: Awaited<ReturnType<typeof openWorld>>['api'], endpointId: string, life: number) {
  await api.post(`/api/endpoints/${endpointId}/secrets`, {
    platform: 'stripe',
    secret: `whsec_life_${life}_of_the_proof`,
  });
  const other = await api.createEndpoint(`life ${life}`);
  const [page] = await Array.fromAsync(firstPage(api.events(endpointId, 1)));
  const [newest] = page?.events ?? [];
  if (newest) await api.put(`/api/events/${newest.id}/pin`, { name: `life-${life}` });
  return { other: other.id, pinned: newest?.id };
}

async function* firstPage<T>(pages: AsyncGenerator<T>): AsyncGenerator<T> {
  for await (const page of pages) return yield page;
}

export async function checkLosses({ check }: Checks, store: Store, losses: number): Promise<void> {
  const world = await openWorld(store, `losses-${store.name}`, { every: `${everyMs}ms` });
  const recorded = createRecorded(mixedPayloads());
  const changes: Awaited<ReturnType<typeof changeThings>>[] = [];
  try {
    for (let life = 1; life <= losses; life++)
      await check(`${store.name}: loss ${life} of ${losses}`, async () => {
        // The first life of a restored server begins before it may write to the store.
        const stop = recorded.send(world.server, world.endpoint);
        try {
          await untilBackedUp(world);
          changes.push(await changeThings(world.api, world.endpoint.id, life));
          await Bun.sleep(everyMs + Math.random() * 2 * everyMs);
          const lostAt = await lose(world);
          await stop();
          const started = performance.now();
          await resurrect(world, store);
          const restoredMs = performance.now() - started;
          const { stored, lost } = await recorded.compare(world.api, world.endpoint, {
            until: lostAt - everyMs,
            forget: true,
          });
          await ensureChanges(world.api, world.endpoint.id, changes);
          return `${stored} stored, ${lost} of the last ${everyMs} ms lost, restored in ${restoredMs.toFixed(0)} ms`;
        } finally {
          await stop();
        }
      });
    await check(`${store.name}: hooktape check finds nothing after all that`, () =>
      world.installation.command(['check'], 600_000),
    );
  } finally {
    await world.installation.remove();
  }
}

async function ensureChanges(
  api: Awaited<ReturnType<typeof openWorld>>['api'],
  endpointId: string,
  changes: readonly { other: string; pinned: string | undefined }[],
): Promise<void> {
  const ids = new Set((await api.endpoints()).map(({ id }) => id));
  for (const { other, pinned } of changes) {
    ensure(ids.has(other), `endpoint ${other} is missing`);
    if (pinned === undefined) continue;
    const event = (await (await api.get(`/api/events/${pinned}`)).json()) as { pin: unknown };
    ensure(event.pin !== null, `${pinned} is no longer pinned`);
  }
  const { secrets } = (await (await api.get(`/api/endpoints/${endpointId}/secrets`)).json()) as { secrets: unknown[] };
  ensure(secrets.length === changes.length, `${secrets.length} saved secrets instead of ${changes.length}`);
}
