/*
 * The load of a soak test. Each worker repeats one kind of work: delivering, reading, searching, exporting, replaying or following
 * a live stream. One worker replaces endpoints, whose events the sweeper must remove in time. Work that a kill of the server interrupts is
 * done again.
 */
import { type Api, type Endpoint, type EventSummary, ingestAddress } from '../lib/api.ts';
import type { Server } from '../lib/installation.ts';
import { githubPayloads } from '../lib/payloads.ts';
import { payloadOf } from '../lib/senders.ts';
import { type Connection, connect, deliveryRequest } from '../lib/wire.ts';

export const workKinds = ['delivery', 'read', 'search', 'export', 'replay'] as const;
export type WorkKind = (typeof workKinds)[number];

export type Soak = {
  server: Server;
  api: Api;
  /** The destination of replays. */
  destination: string;
  endpoints: Endpoint[];
  /** Durations in ms since they were last reported. */
  latencies: Record<WorkKind, number[]>;
  counts: Record<WorkKind | 'refused' | 'messages' | 'deleted', number>;
  running: boolean;
  /** When the server was last down, by the clock of `performance.now`; Infinity while it is down. */
  lastDownAt: number;
  /** Resolves when the server is up. */
  untilUp: () => Promise<void>;
};

const senderCount = 8;
/** An endpoint is deleted and replaced after this time, so that the database stops growing. */
const endpointLifetimeMs = 45_000;
const searchTerms = ['octocat', 'refs/heads', '"action":"opened"', 'zzqq-nothing-has-this'];

const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(Math.random() * from.length)];
/** The endpoint or event has been deleted in the meantime. */
const isGone = (error: unknown): boolean => String(error).includes(': 404 ');
const ensureGone = (error: unknown): void => {
  if (!isGone(error)) throw error;
};

/** Whether the server was down after this time. For another second, a connection of the pool may be one of the killed process. */
export const wasDown = (soak: Soak, startedAt: number): boolean => soak.lastDownAt + 1000 >= startedAt;

/** @param rate deliveries a second, all senders together. @returns promises that resolve after `running` is set to false */
export function startWork(soak: Soak, rate: number): Promise<void>[] {
  const { server, api, destination, endpoints, latencies, counts } = soak;
  const payloads = githubPayloads();

  const timed = async (kind: WorkKind, work: () => Promise<unknown>): Promise<void> => {
    const startedAt = performance.now();
    await work();
    latencies[kind].push(performance.now() - startedAt);
    counts[kind]++;
  };
  /** Repeats the work with random endpoints, with a pause after each. */
  const repeat = async (pauseMs: number, work: (endpoint: Endpoint) => Promise<void>): Promise<void> => {
    while (soak.running) {
      const endpoint = pick(endpoints);
      const startedAt = performance.now();
      try {
        if (endpoint) await work(endpoint);
      } catch (error) {
        // If the endpoint is deleted in the meantime, a list returns 404 and a running export is aborted.
        const mayFail = isGone(error) || !endpoint || !endpoints.includes(endpoint) || wasDown(soak, startedAt);
        if (!mayFail) throw error;
        await soak.untilUp();
      }
      await Bun.sleep(pauseMs);
    }
  };

  const newest = async (endpointId: string, limit: number): Promise<EventSummary[]> => {
    for await (const { events } of api.events(endpointId, limit)) return events;
    return [];
  };

  const send = async (first: number): Promise<void> => {
    let connection: Connection | undefined;
    let number = first;
    await repeat((1000 * senderCount) / rate, async endpoint => {
      const request = deliveryRequest(ingestAddress(server, endpoint), payloadOf(payloads, number++));
      connection ??= await connect(server.origin);
      const open = connection;
      await timed('delivery', async () => {
        const { status } = await open.send(request).catch(error => {
          connection = undefined;
          throw error;
        });
        if (status !== 200 && status !== 404) counts.refused++;
      });
    });
    connection?.close();
  };
  const read = () =>
    repeat(20, async ({ id }) => {
      await timed('read', async () => {
        const event = pick(await newest(id, 50));
        if (event) await (await api.get(`/api/events/${event.id}`)).bytes();
      });
    });
  const search = () =>
    repeat(50, async ({ id }) => {
      const q = encodeURIComponent(pick(searchTerms) ?? '');
      await timed('search', async () => (await api.get(`/api/events?endpointId=${id}&q=${q}`)).bytes());
    });
  const exportAll = () =>
    repeat(2000, async ({ id }) => {
      const format = pick(['json', 'har']);
      await timed('export', async () => {
        const answer = await api.get(`/api/endpoints/${id}/export?format=${format}`);
        for await (const _chunk of answer.body ?? []);
      });
    });
  const replay = () =>
    repeat(100, async ({ id }) => {
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
        // The endpoint was deleted, or the server is stopping.
        if (soak.running && !isGone(error)) await Bun.sleep(100);
      }
    }
  };
  const replaceEndpoints = async (): Promise<void> => {
    for (let number = 1; soak.running; number++) {
      for (const deadline = performance.now() + endpointLifetimeMs; soak.running && performance.now() < deadline; )
        await Bun.sleep(100);
      if (!soak.running) return;
      const old = endpoints.shift();
      const startedAt = performance.now();
      try {
        endpoints.push(await api.createEndpoint(`soak, replacement ${number}`));
        // A kill may have hidden the answer to an earlier attempt that deleted it.
        if (old) await api.remove(`/api/endpoints/${old.id}`).catch(error => ensureGone(error));
        counts.deleted++;
      } catch (error) {
        if (!wasDown(soak, startedAt)) throw error;
        if (old) endpoints.push(old);
        await soak.untilUp();
      }
    }
  };

  const startMany = (count: number, work: (number: number) => Promise<void>) =>
    Array.from({ length: count }, (_, n) => work(n));
  return [
    ...startMany(senderCount, n => send(n * 1_000_000)),
    ...startMany(3, read),
    ...startMany(2, search),
    ...startMany(1, exportAll),
    ...startMany(2, replay),
    ...startMany(4, follow),
    replaceEndpoints(),
  ];
}
