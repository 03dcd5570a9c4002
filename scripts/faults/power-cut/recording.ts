/*
 * Records the real program under strace while it is loaded: a first start, kill -9 under load, a start that recovers under load, a
 * clean stop, kill -9 again, and a last start.
 */
import { join } from 'node:path';
import { freePort } from '../../../src/testing/free-port.ts';
import { firstApi } from '../../lib/api.ts';
import { install, type Server } from '../../lib/installation.ts';
import { type Connection, connect } from '../../lib/wire.ts';
import { isHandshake, numberedDelivery } from './deliveries.ts';
import { type Content, settings, sha256 } from './recovery.ts';
import { traceCommand } from './trace.ts';

export type Recording = {
  dataDir: string;
  /** One strace file for each run of the server. */
  traces: string[];
  apiKey: string;
  endpointIds: string[];
  host: string;
  /** The paths of the ingest URLs; delivery `n` is sent to the path at `n` modulo their number. */
  paths: string[];
  sent: number;
  /** Delivery numbers by the event id in the response. */
  numbers: Map<string, number>;
  /** The time at which the response had arrived, epoch ms. */
  handshakesAt: Map<number, number>;
  refused: number;
  /** The content of a delivery that must be stored. */
  contentOf: (number: number) => Content;
  remove: () => Promise<void>;
};

const connections = 24;

export async function record(loadMs: number): Promise<Recording> {
  const installation = install(settings);
  const port = await freePort();
  const traces: string[] = [];
  const start = (): Promise<Server> => {
    const file = join(installation.dir, `../trace-${traces.length + 1}`);
    traces.push(file);
    return installation.start(port, {}, traceCommand(file));
  };
  let server = await start();
  const api = await firstApi(installation, server);
  const endpoints = [await api.createEndpoint('one'), await api.createEndpoint('two')];
  const recording: Recording = {
    dataDir: installation.dataDir,
    traces,
    apiKey: api.key,
    endpointIds: endpoints.map(({ id }) => id),
    host: new URL(server.origin).host,
    paths: endpoints.map(({ url }) => new URL(url).pathname),
    sent: 0,
    numbers: new Map(),
    handshakesAt: new Map(),
    refused: 0,
    contentOf: rememberContents(new URL(server.origin).host),
    remove: installation.remove,
  };
  for (const [ms, signal] of [
    [loadMs, 'SIGKILL'],
    [loadMs / 2, 'SIGTERM'],
    [loadMs / 4, 'SIGKILL'],
  ] as const) {
    const load = startLoad(server.origin, recording);
    await Bun.sleep(ms);
    await server.end(signal);
    await load.stop();
    server = await start();
  }
  await server.end('SIGTERM');
  return recording;
}

/** Cached, because creating a body takes longer than comparing it. */
function rememberContents(host: string): Recording['contentOf'] {
  const contents = new Map<number, Content>();
  return number => {
    const known = contents.get(number);
    if (known) return known;
    const { headers, body } = numberedDelivery(number, { host, path: '' });
    const content = { headers, sha256: sha256(body) };
    contents.set(number, content);
    return content;
  };
}

function startLoad(origin: string, recording: Recording): { stop: () => Promise<void> } {
  let isRunning = true;
  const send = async (connection: Connection): Promise<void> => {
    const number = recording.sent++;
    const path = recording.paths[number % recording.paths.length] ?? '';
    const { status, body } = await connection.send(numberedDelivery(number, { host: recording.host, path }).request);
    if (status !== 200) recording.refused++;
    else if (isHandshake(number)) recording.handshakesAt.set(number, performance.timeOrigin + performance.now());
    else recording.numbers.set((JSON.parse(body) as { id: string }).id, number);
  };
  const sender = async (): Promise<void> => {
    const connection = await connect(origin);
    try {
      while (isRunning) await send(connection);
    } finally {
      connection.close();
    }
  };
  // Connections fail when the server exits.
  const senders = Array.from({ length: connections }, () => sender().catch(() => {}));
  return {
    stop: async () => {
      isRunning = false;
      await Promise.all(senders);
    },
  };
}
