/* A server process with GitHub deliveries to replay, which can be killed, and handlers that count their requests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReplayJob } from '../../src/features/replay-jobs/model.ts';
import { holdClock } from '../../src/testing/clock.ts';
import { freePort } from '../../src/testing/free-port.ts';
import { eventually } from '../../src/testing/poll.ts';
import { startServerProcess } from '../../src/testing/server-process.ts';
import { openTestServer } from '../../src/testing/test-server.ts';
import { githubPayloads } from '../lib/payloads.ts';

const secret = 'the secret of this proof, long enough';
const deliveredAtOnce = 32;
const spacedEvents = 200;
const askEveryMs = 250;

export type JobsWorld = Awaited<ReturnType<typeof openJobsWorld>>;

/** @param command starts the server with `serve` */
export async function openJobsWorld(command: readonly string[], events: number) {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-jobs-'));
  const { key, endpointId, spaced } = await deliverAll(directory, events);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const handlers: { stop: (now: boolean) => unknown }[] = [];
  let child: Bun.Subprocess | undefined;

  const settings = {
    HOOKTAPE_SECRET: secret,
    HOOKTAPE_RATE_LIMIT: '1000000',
    HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8',
  };
  const start = async (): Promise<void> => {
    child = await startServerProcess(command, directory, port, settings);
  };
  const kill = async (): Promise<void> => {
    child?.kill('SIGKILL');
    await child?.exited;
  };
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const job = (id: string) => call<ReplayJob>('GET', `/api/replay-jobs/${id}`);

  await start();
  return {
    start,
    kill,
    /** Opens a new handler; `answer` gets GitHub's delivery id. */
    handler(answer: (delivery: string) => Response | Promise<Response>): string {
      const http = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: async request => {
          await request.arrayBuffer();
          return answer(request.headers.get('x-github-delivery') ?? '');
        },
      });
      handlers.push(http);
      return `http://127.0.0.1:${http.port}/hook`;
    },
    create: (body: object) => call<ReplayJob>('POST', '/api/replay-jobs', { endpointId, ...body }),
    /** An endpoint whose events arrived with random pauses of half a second on average, and their times. */
    spaced,
    job,
    /** Polls rarely, because the server counts the events of the job each time. */
    untilDone: (id: string, timeoutMs: number) =>
      eventually(async () => {
        await Bun.sleep(askEveryMs);
        return (await job(id)).state === 'done';
      }, timeoutMs),
    async close(): Promise<void> {
      await kill();
      for (const handler of handlers) handler.stop(true);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Payloads of GitHub, each with a different delivery id: `delivery-0`, `delivery-1` and so on. */
async function deliverAll(directory: string, events: number) {
  const clock = holdClock(Date.now() - 3_600_000);
  const server = await openTestServer({ directory, clock, env: { HOOKTAPE_SECRET: secret } });
  const ada = await server.createAccount('ada@example.com', { plan: 'pro' });
  const endpoint = await ada.createEndpoint();
  const payloads = githubPayloads();
  let next = 0;
  const deliver = async (): Promise<void> => {
    for (let n = next++; n < events; n = next++) {
      const { event, body } = payloads[n % payloads.length] ?? { event: 'ping', body: new Uint8Array() };
      const headers = {
        'content-type': 'application/json',
        'x-github-event': event,
        'x-github-delivery': `delivery-${n}`,
      };
      await server.deliver(endpoint, body, { headers });
    }
  };
  await Promise.all(Array.from({ length: deliveredAtOnce }, deliver));
  const other = await ada.createEndpoint();
  const receivedAt: number[] = [];
  for (let n = 0; n < spacedEvents; n++) {
    clock.advance(Math.round(Math.random() * 1000));
    receivedAt.push(clock.now());
    await server.deliver(other, '{}', { headers: { 'x-github-delivery': `spaced-${n}` } });
  }
  await server.close();
  return { key: ada.key, endpointId: endpoint.id, spaced: { endpointId: other.id, receivedAt } };
}
