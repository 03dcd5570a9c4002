/*
 * Two forwards of an endpoint, one in parallel and one ordered in lanes, whose destinations are down for hours while events
 * arrive and the server is killed every minute. Then the destinations respond again while the server is still being killed. The
 * clock of the server goes ahead by a minute once the events of that minute are stored. Both destinations must then have every
 * stored event: at least once, with duplicates only of events in progress at a kill, and the ordered one in the order of each
 * lane, attempt by attempt.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEventId } from '../core/ids/ids.ts';
import type { Forward } from '../features/forwards/model.ts';
import { startClocked } from './clocked-server.ts';
import { forwardRows } from './forward-rows.ts';
import { openTestServer } from './test-server.ts';

export type OutageOptions = {
  perSecond: number;
  minutes: number;
  /** The number of kills in the second half of the drain, in addition to one in each minute of the outage. */
  drainKills: number;
  /** From 0 to 1. */
  random: () => number;
  /** Called from time to time. */
  onProgress?: (line: string) => void;
};

export type OutageResult = {
  stored: number;
  acknowledged: number;
  kills: number;
  /** For each destination: the events that it has accepted more than once. */
  doubled: number[];
  stateWhileDown: string[];
  /** How many attempts both destinations saw while they were down. */
  attemptsWhileDown: number;
  /**
   * Resident memory of the server without waiting events, at the end of the outage, and while it drains without kills, in MiB.
   */
  memoryMiB: { before: number; waiting: number; draining: number[] };
  /** For each destination, events a second from the first to the last. */
  drainPerSecond: number[];
  problems: string[];
};

const lanes = 16;
const senders = 8;
/** The most requests of one forward at the same time. */
const maxDoubledPerKill = 6;
const modes = ['parallel', 'ordered'] as const;
const minuteMs = 60_000;
/** The interval of kills while everything drains. */
const killEveryMs = 4000;

export async function killDuringOutage(options: OutageOptions): Promise<OutageResult> {
  const { perSecond, minutes, drainKills, random, onProgress } = options;
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  const destinations = modes.map(openDestination);
  const acknowledged = new Set<number>();
  let kills = 0;
  try {
    const { key, path, forwardsPath } = await prepare(directory, destinations);
    const server = await startClocked(directory, { HOOKTAPE_REPLAY_ALLOW: '127.0.0.1' });
    const sendUpTo = createSenders(`${server.origin}${path}`, acknowledged);
    const forwards = async (): Promise<Forward[]> => {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${server.origin}${forwardsPath}`, { headers });
      return ((await response.json()) as { forwards: Forward[] }).forwards;
    };
    const killAndRestart = async (): Promise<void> => {
      kills++;
      await server.restart();
    };

    await server.goAhead(0);
    const before = server.residentMiB();
    let minuteTakesMs = 500;
    for (let minute = 1; minute <= minutes; minute++) {
      const startedAt = performance.now();
      const kill = Bun.sleep(random() * minuteTakesMs).then(killAndRestart);
      await sendUpTo(minute * perSecond * 60);
      minuteTakesMs = performance.now() - startedAt;
      await kill;
      await server.goAhead(minuteMs);
      if (minute % 10 === 0)
        onProgress?.(`minute ${minute}: ${Math.round(minuteTakesMs)} ms, ${server.residentMiB()} MiB`);
    }
    await server.goAhead(0);
    const waiting = server.residentMiB();
    const whileDown = await forwards();
    const attemptsWhileDown = destinations.reduce((sum, { refused }) => sum + refused(), 0);

    for (const one of destinations) one.answer();
    const draining: number[] = [];
    const arrived = (): number => Math.min(...destinations.map(({ count }) => count()));
    const seen = Math.max(1, Math.floor(acknowledged.size / 20));
    for (let next = seen; ; ) {
      server.hurry(minuteMs / 6);
      await Bun.sleep(500);
      if (arrived() >= next) {
        next = arrived() + seen;
        // The first half without kills, so that the memory of one process is seen.
        if (draining.length < 10) draining.push(server.residentMiB());
        onProgress?.(`${destinations.map(({ count }) => count()).join(' and ')} arrived, ${server.residentMiB()} MiB`);
      }
      if (draining.length >= 10 && kills < minutes + drainKills) {
        await Bun.sleep(random() * killEveryMs * 2);
        await killAndRestart();
      }
      if (arrived() < acknowledged.size) continue;
      const left = await forwards().catch(() => []);
      if (left.length === 2 && left.every(({ waiting, failed }) => waiting + failed === 0)) break;
    }
    await server.stop();
    const found = await check(directory, { destinations, acknowledged, kills });
    for (const { waiting, failed } of whileDown)
      if (waiting + failed < acknowledged.size)
        found.problems.push(`${waiting + failed} of ${acknowledged.size} events waited`);
    return {
      ...found,
      acknowledged: acknowledged.size,
      kills,
      stateWhileDown: whileDown.map(({ state }) => state),
      attemptsWhileDown,
      memoryMiB: { before, waiting, draining },
      drainPerSecond: destinations.map(({ perSecond }) => perSecond()),
    };
  } finally {
    for (const one of destinations) await one.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

type Destination = ReturnType<typeof openDestination>;

/**
 * Opens a destination that refuses until `answer` is called. Then it records which events arrive, and whether an event arrives
 * after a later event of its lane.
 */
function openDestination() {
  const times = new Map<number, number>();
  const last = new Map<number, number>();
  let [isDown, refused, outOfOrder, firstAt, lastAt] = [true, 0, 0, 0, 0];
  const http = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (isDown) {
        refused++;
        return new Response(null, { status: 503 });
      }
      const { lane } = (await request.json()) as { lane: number };
      const seq = parseEventId(request.headers.get('x-service-replay') ?? '')?.seq ?? 0;
      if (seq < (last.get(lane) ?? 0)) outOfOrder++;
      last.set(lane, seq);
      times.set(seq, (times.get(seq) ?? 0) + 1);
      lastAt = performance.now();
      if (firstAt === 0) firstAt = lastAt;
      return new Response(null, { status: 204 });
    },
  });
  return {
    url: `http://127.0.0.1:${http.port}/hook`,
    answer: () => {
      isDown = false;
    },
    refused: () => refused,
    count: () => times.size,
    times,
    outOfOrder: () => outOfOrder,
    perSecond: () => Math.round((times.size / Math.max(lastAt - firstAt, 1)) * 1000),
    stop: () => http.stop(true),
  };
}

async function prepare(directory: string, destinations: readonly Destination[]) {
  const server = await openTestServer({ directory, env: { HOOKTAPE_REPLAY_ALLOW: '127.0.0.1' } });
  const ada = await server.createAccount();
  const { id, url } = await ada.createEndpoint();
  const forwardsPath = `/api/endpoints/${id}/forwards`;
  for (const [n, mode] of modes.entries())
    await ada.json(201, 'POST', forwardsPath, {
      name: mode,
      url: destinations[n]?.url,
      mode,
      ...(mode === 'ordered' && { orderBy: 'body.lane' }),
    });
  await server.close();
  return { key: ada.key, path: new URL(url).pathname, forwardsPath };
}

/** Sends numbered events on several connections, and repeats each until it is acknowledged. */
function createSenders(url: string, acknowledged: Set<number>): (upTo: number) => Promise<void> {
  let sent = 0;
  const post = async (n: number): Promise<void> => {
    const body = JSON.stringify({ lane: n % lanes, n, note: 'an order of a customer, as large as such things are' });
    const headers = { 'content-type': 'application/json' };
    for (;;) {
      const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
      const { id } = response?.ok ? ((await response.json().catch(() => ({}))) as { id?: string }) : {};
      if (id !== undefined) return void acknowledged.add(parseEventId(id)?.seq ?? 0);
      await Bun.sleep(20);
    }
  };
  return async upTo => {
    const sender = async (): Promise<void> => {
      while (sent < upTo) await post(sent++);
    };
    await Promise.all(Array.from({ length: senders }, sender));
  };
}

async function check(
  directory: string,
  seen: { destinations: readonly Destination[]; acknowledged: ReadonlySet<number>; kills: number },
): Promise<Pick<OutageResult, 'stored' | 'doubled' | 'problems'>> {
  const { destinations, acknowledged, kills } = seen;
  const { stored, problems } = await forwardRows({ directory });
  const doubled = destinations.map(({ times }) => [...times.values()].filter(count => count > 1).length);
  for (const [n, { times, outOfOrder }] of destinations.entries()) {
    const missing = [...acknowledged].filter(seq => !times.has(seq)).length;
    if (missing > 0 || times.size !== stored)
      problems.push(`${modes[n]}: ${times.size} of ${stored} events arrived, ${missing} acknowledged ones are missing`);
    if ((doubled[n] ?? 0) > kills * maxDoubledPerKill) problems.push(`${modes[n]}: ${doubled[n]} events are doubled`);
    if (modes[n] === 'ordered' && outOfOrder() > 0) problems.push(`${outOfOrder()} attempts were out of order`);
  }
  return { stored, doubled, problems };
}
