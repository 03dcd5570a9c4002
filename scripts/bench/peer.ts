/*
 * Other webhook recorders, described in peers.json. To add one, give its command ({port} and {data} are replaced), the path that
 * answers 2xx when it is ready, and the path that accepts a POST. If that path is not fixed, `create` is a request that creates it,
 * and the pattern `address` finds it in the response.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/testing/free-port.ts';
import { type Payload, smallPayload } from '../lib/payloads.ts';

export type Peer = {
  name: string;
  /** Programs that must be installed. */
  needs: string[];
  /** The reason why it cannot be measured on any machine. */
  skip?: string;
  command?: string[];
  env?: Record<string, string>;
  ready?: string;
  ingest?: string;
  create?: { method: string; path: string; body?: string; address: string };
  /** Sent instead of the delivery; `{payload}` is replaced by the delivery, escaped as the content of a JSON string. */
  body?: string;
  /** Whether a delivery is on disk when the peer responds. */
  durable?: boolean;
};

/** A running program that accepts deliveries and can be measured from outside. */
export type Subject = {
  pid: number;
  startupMs: number;
  address: string;
  payload: Payload;
  diskBytes: () => number;
  end: () => Promise<void>;
};

/** Paths of programs that are not on the PATH, by name. */
export type Programs = Readonly<Record<string, string>>;

const readyTimeoutMs = 30_000;

export const inMemoryPeer = 'request-baskets, in memory';

export const readPeers = (file = join(import.meta.dir, 'peers.json')): Peer[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as { peers: Peer[] }).peers;

/** The reason why this peer cannot be measured here; undefined if it can. */
export function skipReason({ skip, needs }: Peer, programs: Programs): string | undefined {
  if (skip) return skip;
  const missing = needs.find(name => !Bun.which(programs[name] ?? name));
  return missing && `${programs[missing] ?? missing} is not installed`;
}

export async function startPeer(
  { command = [], env = {}, ready = '/', ingest, create, body }: Peer,
  programs: Programs = {},
): Promise<Subject> {
  const data = mkdtempSync(join(tmpdir(), 'hooktape-peer-'));
  const port = await freePort();
  const fill = (text: string): string => text.replaceAll('{port}', String(port)).replaceAll('{data}', data);
  const [program = '', ...args] = command;
  const startedAt = performance.now();
  const child = Bun.spawn([programs[program] ?? program, ...args.map(fill)], {
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
    // A paused process cannot exit.
    child.kill('SIGCONT');
    await child.exited;
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const origin = `http://127.0.0.1:${port}`;
    while (!(await fetch(origin + ready).catch(() => undefined))?.ok) {
      if (child.exitCode !== null) throw new Error(`it exited with ${child.exitCode}`);
      if (performance.now() - startedAt > readyTimeoutMs) throw new Error('it did not become ready in time');
      await Bun.sleep(10);
    }
    const startupMs = performance.now() - startedAt;
    const small = smallPayload();
    const escaped = JSON.stringify(new TextDecoder().decode(small.body)).slice(1, -1);
    return {
      pid: child.pid,
      startupMs,
      address: origin + (create ? await makeAddress(origin, create) : (ingest ?? '/')),
      payload: body ? { ...small, body: Buffer.from(body.replace('{payload}', () => escaped)) } : small,
      diskBytes: () => bytesIn(data),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function makeAddress(origin: string, create: NonNullable<Peer['create']>): Promise<string> {
  const { method, path, body, address } = create;
  const answer = await fetch(origin + path, { method, ...(body !== undefined && { body }) });
  const found = new RegExp(address).exec(await answer.text())?.[1];
  if (found === undefined) throw new Error(`no address in the response of ${path}`);
  return found.startsWith('/') ? found : new URL(found).pathname;
}

/** Total size of all files below a directory. */
export const bytesIn = (directory: string, counts: (name: string) => boolean = () => true): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && counts(entry.name))
    .reduce(
      (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
