/* The parts that the proof of `hooktape listen` kills: a server, a listener, a target, and the connection between listener and server. */
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { freePort } from '../../src/testing/free-port.ts';
import { createApi, type Endpoint } from '../lib/api.ts';
import { until } from '../lib/process.ts';

/** A delivery with the target's response. */
export type Delivered = { status: number; path: string; event: string };
export type World = Awaited<ReturnType<typeof openWorld>>;

const consumerName = 'proof';
const readyMs = 30_000;
const unreachable = 4;

/** @param command starts the program: the executable, or the runtime and its entry file */
export async function openWorld(command: readonly string[]) {
  const dir = mkdtempSync(join(tmpdir(), 'hooktape-listen-'));
  const log = join(dir, 'delivered');
  writeFileSync(log, '');
  const [serverPort, targetPort] = [await freePort(), await freePort()];
  const origin = `http://127.0.0.1:${serverPort}`;
  const settings = {
    PATH: process.env['PATH'] ?? '',
    HOME: dir,
    HOOKTAPE_DATA_DIR: join(dir, 'data'),
    HOOKTAPE_PORT: String(serverPort),
    HOOKTAPE_HOST: '127.0.0.1',
    HOOKTAPE_RATE_LIMIT: '1000000',
  };
  const start = (words: readonly string[], env: Record<string, string>) => {
    const child = Bun.spawn([...words], {
      cwd: dir,
      env,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: openSync(join(dir, words.includes('listen') ? 'said' : 'other'), 'a'),
    });
    return child;
  };
  const startServer = async (): Promise<Subprocess> => {
    const child = start([...command, 'serve'], settings);
    await until('the server is ready', readyMs, () =>
      fetch(`${origin}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return child;
  };
  const startTarget = (): Subprocess =>
    start([process.execPath, join(import.meta.dir, 'listen-target.ts'), String(targetPort), log], {
      PATH: settings.PATH,
    });

  const run = async (...args: string[]): Promise<string> => {
    const child = Bun.spawn([...command, ...args], { cwd: dir, env: settings, stdout: 'pipe', stderr: 'pipe' });
    const said = await child.stdout.text();
    if ((await child.exited) !== 0) throw new Error(`${args.join(' ')}: ${await child.stderr.text()}`);
    return said.trim();
  };

  let server = await startServer();
  await run('account', 'create', 'owner@example.com', '--plan', 'pro');
  const key = await run('key', 'create', 'proof', '--account', 'owner@example.com');
  const api = createApi(origin, key);
  const endpoint: Endpoint = await api.createEndpoint('proof');
  const link = await openLink(serverPort);

  const target = `http://127.0.0.1:${targetPort}`;
  const maps = ['a', 'b'].flatMap(kind => ['--map', `body.kind:*${kind}*=>${target}/${kind}`]);
  const startListener = (): Subprocess =>
    start(
      [
        ...command,
        'listen',
        endpoint.id,
        '--as',
        consumerName,
        ...maps,
        '--to',
        `${target}/rest`,
        '--output',
        'lines',
        '--max-backlog',
        '100000000',
      ],
      {
        PATH: settings.PATH,
        HOME: dir,
        HOOKTAPE_URL: link.origin,
        HOOKTAPE_KEY: key,
      },
    );
  // Created now, so that the first listener starts before the first event.
  await api.put(`/api/endpoints/${endpoint.id}/consumers/${consumerName}`, { cursor: 'start' });
  let listener = startListener();
  let receiver = startTarget();

  return {
    api,
    endpoint,
    ingestUrl: origin + new URL(endpoint.url).pathname,
    /** The paths of the target whose maps match an event of this kind. */
    pathsOf: (kind: string): string[] => {
      const paths = ['a', 'b'].filter(one => kind.includes(one)).map(one => `/${one}`);
      return paths.length > 0 ? paths : ['/rest'];
    },
    /** A truncated line is the last line before a kill, and its request got no response. */
    delivered: (): Delivered[] =>
      readFileSync(log, 'utf8')
        .split('\n')
        .flatMap(line => {
          const [, status, path = '', event = ''] = /^(\d{3}) (\/\w+) (evt_\w+)$/.exec(line) ?? [];
          return status === undefined ? [] : [{ status: Number(status), path, event }];
        }),
    position: async () =>
      (await (await api.get(`/api/endpoints/${endpoint.id}/consumers/${consumerName}`)).json()) as {
        cursor: string;
        behind: number;
      },
    /** Each is restarted after `downMs`. */
    kill: {
      server: async (downMs: number): Promise<void> => {
        server.kill('SIGKILL');
        await server.exited;
        await Bun.sleep(downMs);
        server = await startServer();
      },
      listener: async (downMs: number): Promise<void> => {
        listener.kill('SIGKILL');
        await listener.exited;
        await Bun.sleep(downMs);
        listener = startListener();
      },
      target: async (downMs: number): Promise<void> => {
        receiver.kill('SIGKILL');
        await receiver.exited;
        await Bun.sleep(downMs);
        receiver = startTarget();
      },
      connection: async (downMs: number): Promise<void> => link.cut(downMs),
    },
    /** Ends the listener like a user. @returns its exit code */
    stopListener: async (): Promise<number> => {
      listener.kill('SIGINT');
      return await listener.exited;
    },
    /** Restarts the listener if it has exited with 4 because the server was down at its start. */
    keepListening: (): void => {
      if (listener.exitCode === unreachable) listener = startListener();
      else if (listener.exitCode !== null)
        throw new Error(
          `the listener has ended with ${listener.exitCode}:\n${readFileSync(join(dir, 'said'), 'utf8').slice(-2000)}`,
        );
    },
    close: async (): Promise<void> => {
      for (const child of [listener, receiver, server]) {
        child.kill('SIGKILL');
        await child.exited;
      }
      link.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Opens a connection to the server that can be interrupted. */
async function openLink(port: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const link = createServer(near => {
    if (isCut) return near.destroy();
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    return undefined;
  });
  await new Promise<void>(resolve => link.listen(0, '127.0.0.1', resolve));
  const { port: own } = link.address() as { port: number };
  return {
    origin: `http://127.0.0.1:${own}`,
    /** Closes all connections, even in the middle of a response, and accepts none for `ms`. */
    async cut(ms: number): Promise<void> {
      isCut = true;
      for (const socket of sockets) socket.destroy();
      await Bun.sleep(ms);
      isCut = false;
    },
    close: (): void => {
      for (const socket of sockets) socket.destroy();
      link.close();
    },
  };
}
