/*
 * What goes on during a soak, each as one endless job: senders, readers, searchers, exporters, replayers, followers of live
 * streams, and one who deletes endpoints with their events and makes others, which the sweeper has to keep up with.
 */
import { type Api, type Endpoint, type EventSummary, ingestAddress } from '../lib/api.ts';
import type { Server } from '../lib/installation.ts';
import { githubPayloads } from '../lib/payloads.ts';
import { payloadOf } from '../lib/senders.ts';
import { connect, deliveryRequest } from '../lib/wire.ts';

export const workKinds = ['delivery', 'read', 'search', 'export', 'replay'] as const;
export type WorkKind = (typeof workKinds)[number];

export type Soak = {
  server: Server;
  api: Api;
  /** Where replays go. */
  destination: string;
  endpoints: Endpoint[];
  /** Milliseconds of what was done since they were last looked at. */
  latencies: Record<WorkKind, number[]>;
  counts: Record<WorkKind | 'refused' | 'messages' | 'deleted', number>;
  running: boolean;
};

const senderCount = 8;
/** An endpoint goes with its events after this long, and another takes its place: the file must not grow without end. */
const endpointLifetimeMs = 45_000;
const searchTerms = ['octocat', 'refs/heads', '"action":"opened"', 'zzqq-nothing-has-this'];

const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(Math.random() * from.length)];
/** Its endpoint, or the event with it, has been deleted meanwhile. */
const isGone = (error: unknown): boolean => String(error).includes(': 404 ');

/** @param rate deliveries a second, all senders together. @returns what ends when `running` is false, or fails */
export function startWork(soak: Soak, rate: number): Promise<void>[] {
  const { server, api, destination, endpoints, latencies, counts } = soak;
  const payloads = githubPayloads();

  const timed = async (kind: WorkKind, work: () => Promise<unknown>): Promise<void> => {
    const startedAt = performance.now();
    await work();
    latencies[kind].push(performance.now() - startedAt);
    counts[kind]++;
  };
  /** Does it again and again with a random endpoint, with a pause after each time. */
  const again = async (pauseMs: number, work: (endpoint: Endpoint) => Promise<void>): Promise<void> => {
    while (soak.running) {
      const endpoint = pick(endpoints);
      try {
        if (endpoint) await work(endpoint);
      } catch (error) {
        // Deleted while it was read: a listing answers 404, and an export under way breaks off, as it has to.
        if (!isGone(error) && endpoint && endpoints.includes(endpoint)) throw error;
      }
      await Bun.sleep(pauseMs);
    }
  };

  const newest = async (endpointId: string, limit: number): Promise<EventSummary[]> => {
    for await (const { events } of api.events(endpointId, limit)) return events;
    return [];
  };

  const send = async (first: number): Promise<void> => {
    const connection = await connect(server.origin);
    let number = first;
    await again((1000 * senderCount) / rate, async endpoint => {
      const request = deliveryRequest(ingestAddress(server, endpoint), payloadOf(payloads, number++));
      await timed('delivery', async () => {
        const { status } = await connection.send(request);
        if (status !== 200 && status !== 404) counts.refused++;
      });
    });
    connection.close();
  };
  const read = () =>
    again(20, async ({ id }) => {
      await timed('read', async () => {
        const event = pick(await newest(id, 50));
        if (event) await (await api.get(`/api/events/${event.id}`)).bytes();
      });
    });
  const search = () =>
    again(50, async ({ id }) => {
      const q = encodeURIComponent(pick(searchTerms) ?? '');
      await timed('search', async () => (await api.get(`/api/events?endpointId=${id}&q=${q}`)).bytes());
    });
  const exportAll = () =>
    again(2000, async ({ id }) => {
      const format = pick(['json', 'har']);
      await timed('export', async () => {
        const answer = await api.get(`/api/endpoints/${id}/export?format=${format}`);
        for await (const _chunk of answer.body ?? []);
      });
    });
  const replay = () =>
    again(100, async ({ id }) => {
      const event = pick(await newest(id, 10));
      if (!event) return;
      await timed('replay', async () => {
        const result = (await (await api.post(`/api/events/${event.id}/replay`, { url: destination })).json()) as {
          ok: boolean;
        };
        if (!result.ok) throw new Error('a replay did not reach its destination');
      });
    });
  const follow = async (): Promise<void> => {
    while (soak.running) {
      try {
        const endpoint = pick(endpoints);
        if (!endpoint) continue;
        const answer = await api.get(`/api/endpoints/${endpoint.id}/stream`);
        for await (const chunk of answer.body ?? []) {
          counts.messages += Buffer.from(chunk).toString('latin1').split('\nevent: ').length - 1;
          if (!soak.running) break;
        }
      } catch (error) {
        // Its endpoint went while it was followed, or the server is being stopped.
        if (soak.running && !isGone(error)) await Bun.sleep(100);
      }
    }
  };
  const renew = async (): Promise<void> => {
    for (let number = 1; soak.running; number++) {
      for (const until = performance.now() + endpointLifetimeMs; soak.running && performance.now() < until; )
        await Bun.sleep(100);
      if (!soak.running) return;
      const old = endpoints.shift();
      endpoints.push(await api.createEndpoint(`soak, renewed ${number}`));
      if (old) await api.remove(`/api/endpoints/${old.id}`);
      counts.deleted++;
    }
  };

  const several = (count: number, work: (number: number) => Promise<void>) =>
    Array.from({ length: count }, (_, n) => work(n));
  return [
    ...several(senderCount, n => send(n * 1_000_000)),
    ...several(3, read),
    ...several(2, search),
    ...several(1, exportAll),
    ...several(2, replay),
    ...several(4, follow),
    renew(),
  ];
}
