/*
 * `bun run soak [--minutes 10] [--rate 200]`: the compiled program under everything at once: deliveries at a constant rate,
 * lists, details, live streams, and endpoints that come and go with their events. Each minute one line: resident memory,
 * size on disk, p99 of deliveries and of reads. Ends with a check that memory stays flat and the database is sound.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percentile } from './bench/statistics.ts';
import { firstApi, ingestAddress } from './lib/api.ts';
import { createChecks, must } from './lib/checks.ts';
import { freePort, install } from './lib/installation.ts';
import { githubPayloads } from './lib/payloads.ts';
import { residentMegabytes } from './lib/process.ts';
import { payloadOf } from './lib/senders.ts';
import { connect, deliveryRequest } from './lib/wire.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, rate: { type: 'string', default: '200' } },
});
const minutes = Number(values.minutes);
const rate = Number(values.rate);
if (!(minutes > 0 && minutes <= 24 * 60 && rate > 0)) throw new Error('--minutes and --rate take a number over 0');

const ENDPOINTS = 4;
const READERS = 4;
const STREAMS = 4;
/** An endpoint goes with its events after this long, and another takes its place: the file must not grow without end. */
const LIFETIME_MS = 45_000;
const MAX_GROWTH_MB = 150;

const checks = createChecks();
const payloads = githubPayloads();
const installation = install({ HOOKTAPE_RATE_LIMIT: '1000000', HOOKTAPE_SWEEP_EVERY: '10s' });
try {
  await checks.check(`${minutes} minutes of everything at once, ${rate} deliveries a second`, async () => {
    const server = await installation.start(await freePort());
    const api = await firstApi(installation, server);
    const endpoints = await Promise.all(Array.from({ length: ENDPOINTS }, (_, n) => api.createEndpoint(`soak ${n}`)));
    const latencies = { delivery: [] as number[], read: [] as number[] };
    const counts = { stored: 0, refused: 0, reads: 0, messages: 0, deleted: 0, gone: 0 };
    let running = true;
    const timed = async <T>(into: number[], work: () => Promise<T>): Promise<T> => {
      const startedAt = performance.now();
      const result = await work();
      into.push(performance.now() - startedAt);
      return result;
    };
    const pick = () => endpoints[Math.floor(Math.random() * endpoints.length)];
    const isGone = (error: unknown): boolean => String(error).includes(': 404 ');

    const sender = async (first: number) => {
      const connection = await connect(server.origin);
      const pauseMs = (1000 * ENDPOINTS * 2) / rate;
      for (let number = first; running; number++) {
        const endpoint = pick();
        if (!endpoint) continue;
        const request = deliveryRequest(ingestAddress(server, endpoint), payloadOf(payloads, number));
        const answer = await timed(latencies.delivery, () => connection.send(request));
        if (answer.status === 200) counts.stored++;
        else if (answer.status === 404) counts.gone++;
        else counts.refused++;
        await Bun.sleep(pauseMs);
      }
      connection.close();
    };
    const reader = async () => {
      while (running) {
        const endpoint = pick();
        if (!endpoint) continue;
        try {
          const page = await timed(latencies.read, async () => (await api.events(endpoint.id, 50).next()).value);
          const event = page?.events[Math.floor(Math.random() * page.events.length)];
          if (event) await timed(latencies.read, async () => (await api.get(`/api/events/${event.id}`)).bytes());
          counts.reads++;
        } catch (error) {
          if (!isGone(error)) throw error;
        }
        await Bun.sleep(20);
      }
    };
    const follower = async () => {
      while (running) {
        const endpoint = pick();
        if (!endpoint) continue;
        try {
          const answer = await api.get(`/api/endpoints/${endpoint.id}/stream`);
          for await (const chunk of answer.body ?? []) {
            counts.messages += Buffer.from(chunk).toString('latin1').split('\nevent: ').length - 1 || 1;
            if (!running) break;
          }
        } catch (error) {
          if (running && !isGone(error)) await Bun.sleep(100);
        }
      }
    };
    const renewer = async () => {
      for (let n = ENDPOINTS; running; n++) {
        const until = performance.now() + LIFETIME_MS;
        while (running && performance.now() < until) await Bun.sleep(100);
        if (!running) return;
        const [old] = endpoints.splice(0, 1, await api.createEndpoint(`soak ${n}`));
        endpoints.push(...endpoints.splice(0, 1));
        if (old) await api.remove(`/api/endpoints/${old.id}`);
        counts.deleted++;
      }
    };

    const work = [
      ...Array.from({ length: ENDPOINTS * 2 }, (_, n) => sender(n * 1_000_000)),
      ...Array.from({ length: READERS }, reader),
      ...Array.from({ length: STREAMS }, follower),
      renewer(),
    ];
    // A worker that fails must end the run, not wait for its end.
    const failed = Promise.all(work).then(() => undefined);
    failed.catch(() => {});
    const resident: number[] = [];
    console.log('minute   RSS MB   disk MB   p99 delivery ms   p99 read ms   stored   reads   messages   deleted');
    const pieces = Math.max(2, Math.ceil(minutes));
    for (let minute = 1; minute <= pieces; minute++) {
      await Promise.race([Bun.sleep((minutes * 60_000) / pieces), failed]);
      resident.push(residentMegabytes(server.pid));
      const row = [
        minute,
        resident.at(-1)?.toFixed(0),
        (diskBytes() / 1e6).toFixed(0),
        percentile(
          latencies.delivery.toSorted((a, b) => a - b),
          0.99,
        ).toFixed(1),
        percentile(
          latencies.read.toSorted((a, b) => a - b),
          0.99,
        ).toFixed(1),
        counts.stored,
        counts.reads,
        counts.messages,
        counts.deleted,
      ];
      const widths = [6, 9, 10, 18, 14, 9, 8, 11, 10];
      console.log(row.map((cell, i) => String(cell).padStart(widths[i] ?? 8)).join(''));
      latencies.delivery.length = 0;
      latencies.read.length = 0;
    }
    running = false;
    const exitCode = await server.end('SIGTERM');
    await failed.catch(() => {});
    must(exitCode === 0, `it ended with ${exitCode}:\n${server.output()}`);
    must(counts.refused === 0, `${counts.refused} deliveries were refused`);
    const half = Math.floor(resident.length / 2);
    const growth = Math.max(...resident.slice(half)) - Math.max(...resident.slice(0, half));
    must(growth < MAX_GROWTH_MB, `resident memory grew by ${growth.toFixed(0)} MB in the second half`);
    const check = await installation.run(['check']);
    must(check.exitCode === 0, `hooktape check: ${check.stdout}${check.stderr}`);
    return `${counts.stored} stored, ${counts.deleted} endpoints deleted, memory ${growth >= 0 ? '+' : ''}${growth.toFixed(0)} MB in the second half`;
  });
} finally {
  await installation.remove();
}
process.exit(checks.close());

function diskBytes(): number {
  return readdirSync(installation.dataDir)
    .filter(name => name.startsWith('hooktape.db'))
    .reduce((sum, name) => sum + statSync(join(installation.dataDir, name)).size, 0);
}
