/*
 * Compares Hooktape with the installed programs of peers.json, in one run and under the same load. An entry of peers.json has the
 * command that starts a program ({port} and {data} are filled in), the path of its readiness check, and the path that takes a
 * POST. When that path is not fixed, `create` is a request whose response contains it, and `address` is the pattern to find it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { firstApi, ingestAddress } from '../lib/api.ts';
import { freePort, install } from '../lib/installation.ts';
import { type Payload, smallPayload } from '../lib/payloads.ts';
import { residentMegabytes } from '../lib/process.ts';
import { median } from './statistics.ts';
import { fullLoad, requireWrk } from './wrk.ts';

type Peer = {
  name: string;
  /** Programs that must be installed. */
  needs: string[];
  /** Why it cannot be measured. */
  skip?: string;
  command?: string[];
  env?: Record<string, string>;
  ready?: string;
  ingest?: string;
  create?: { method: string; path: string; body?: string; address: string };
  /** Sent instead of the delivery; `{payload}` is the delivery, escaped for a JSON string. */
  body?: string;
  /** Whether it responds only after the delivery is on disk. */
  durable?: boolean;
};

/** A running program that receives deliveries. */
type Subject = {
  pid: number;
  startupMs: number;
  address: string;
  payload: Payload;
  diskBytes: () => number;
  end: () => Promise<void>;
};

type Measured = {
  name: string;
  durable: boolean;
  startupMs: number;
  perSecond: number;
  p99Ms: number;
  disk: number;
  rss: number;
};

const readyTimeoutMs = 30_000;

export async function peers(args: string[]): Promise<void> {
  requireWrk();
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '3' },
      config: { type: 'string', default: join(import.meta.dir, 'peers.json') },
    },
  });
  const seconds = Number(values.seconds);
  const config = JSON.parse(readFileSync(values.config, 'utf8')) as { peers: Peer[] };
  const measured: Measured[] = [await measure('Hooktape', true, startHooktape, seconds, Number(values.rounds))];
  for (const peer of config.peers) {
    const missing = peer.needs.find(program => !Bun.which(program));
    const skipReason = peer.skip ?? (missing && `${missing} is not installed`);
    if (skipReason) {
      console.log(`skip  ${peer.name}: ${skipReason}`);
      continue;
    }
    try {
      measured.push(
        await measure(peer.name, peer.durable === true, () => startPeer(peer), seconds, Number(values.rounds)),
      );
    } catch (error) {
      console.log(`skip  ${peer.name}: ${(error as Error).message}`);
    }
  }
  console.log(
    `\n${'1.6 KB, 64 connections'.padEnd(24)}captures/s   p99 ms   disk B/event   RSS MB   start ms   on disk when answered`,
  );
  for (const one of measured)
    console.log(
      one.name.padEnd(24) +
        one.perSecond.toFixed(0).padStart(10) +
        one.p99Ms.toFixed(1).padStart(9) +
        one.disk.toFixed(0).padStart(15) +
        one.rss.toFixed(0).padStart(9) +
        one.startupMs.toFixed(0).padStart(11) +
        (one.durable ? '   yes' : '   no'),
    );
}

async function measure(
  name: string,
  durable: boolean,
  start: () => Promise<Subject>,
  seconds: number,
  rounds: number,
): Promise<Measured> {
  const subject = await start();
  try {
    await fullLoad(subject.address, [subject.payload], 2);
    const before = subject.diskBytes();
    const loads = [];
    for (let round = 0; round < rounds; round++) {
      const load = await fullLoad(subject.address, [subject.payload], seconds);
      console.log(`${name}, round ${round + 1}: ${load.perSecond.toFixed(0)}/s, p99 ${load.p99Ms.toFixed(1)} ms`);
      loads.push(load);
    }
    const stored = loads.reduce((sum, load) => sum + load.requests, 0);
    return {
      name,
      durable,
      startupMs: subject.startupMs,
      perSecond: median(loads.map(load => load.perSecond)),
      p99Ms: median(loads.map(load => load.p99Ms)),
      disk: (subject.diskBytes() - before) / stored,
      rss: residentMegabytes(subject.pid),
    };
  } finally {
    await subject.end();
  }
}

async function startHooktape(): Promise<Subject> {
  const installation = install({ HOOKTAPE_LOG_LEVEL: 'warn' });
  try {
    const server = await installation.start(await freePort());
    const api = await firstApi(installation, server);
    return {
      pid: server.pid,
      startupMs: server.startupMs,
      address: ingestAddress(server, await api.createEndpoint('peers')),
      payload: smallPayload(),
      diskBytes: () => bytesIn(installation.dataDir),
      end: async () => {
        await server.end('SIGTERM');
        await installation.remove();
      },
    };
  } catch (error) {
    await installation.remove();
    throw error;
  }
}

async function startPeer({ command = [], env = {}, ready = '/', ingest, create, body }: Peer): Promise<Subject> {
  const data = mkdtempSync(join(tmpdir(), 'hooktape-peer-'));
  const port = await freePort();
  const fill = (text: string): string => text.replaceAll('{port}', String(port)).replaceAll('{data}', data);
  const startedAt = performance.now();
  const child = Bun.spawn(command.map(fill), {
    cwd: data,
    env: {
      PATH: process.env['PATH'] ?? '',
      ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, fill(value)])),
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const end = async (): Promise<void> => {
    child.kill();
    await child.exited;
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const origin = `http://127.0.0.1:${port}`;
    while (!(await fetch(origin + ready).catch(() => undefined))?.ok) {
      if (child.exitCode !== null) throw new Error(`it exited with ${child.exitCode}`);
      if (performance.now() - startedAt > readyTimeoutMs) throw new Error('it is not ready after 30 s');
      await Bun.sleep(10);
    }
    const startupMs = performance.now() - startedAt;
    const small = smallPayload();
    const escaped = JSON.stringify(new TextDecoder().decode(small.body)).slice(1, -1);
    return {
      pid: child.pid,
      startupMs,
      address: origin + (create ? await createAddress(origin, create) : (ingest ?? '/')),
      payload: body ? { ...small, body: Buffer.from(body.replace('{payload}', () => escaped)) } : small,
      diskBytes: () => bytesIn(data),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function createAddress(origin: string, create: NonNullable<Peer['create']>): Promise<string> {
  const { method, path, body, address } = create;
  const answer = await fetch(origin + path, { method, ...(body !== undefined && { body }) });
  const found = new RegExp(address).exec(await answer.text())?.[1];
  if (found === undefined) throw new Error(`the response of ${path} has no address`);
  return found.startsWith('/') ? found : new URL(found).pathname;
}

const bytesIn = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce(
      (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
