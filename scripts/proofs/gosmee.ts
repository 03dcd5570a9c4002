/*
 * `bun scripts/proofs/gosmee.ts [REPOSITORY]`: sends the same sequence of events through gosmee (a relay server and its client,
 * built with Go from the tagged source, with the default in-memory storage) and through a forward. While a sender posts 80
 * events, the target returns 503 and then is down, and the relay is killed and restarted. Prints how many events arrived, were
 * duplicated, lost, or out of order. Needs dist/hooktape, go and git. Ends with `N passed, N failed`: gosmee only has to run,
 * the forward has to lose nothing.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/testing/free-port.ts';
import { eventually } from '../../src/testing/poll.ts';
import { createChecks, ensure } from '../lib/checks.ts';
import { install } from '../lib/installation.ts';
import { requirePrograms, run, workspace } from '../test-clients/workspace.ts';

const version = 'v0.32.0';
/** Git's checksums of the tagged commit and of its files, dependencies included. */
const commit = '8345dfa475a7f3689f0b4cea7c3d7dbd081551e3';
const tree = '37020bdda0857ef2425f5247270eee1e0c0de725';
const repository = process.argv[2] ?? 'https://github.com/chmouel/gosmee';

const eventsPerPhase = 20;
const betweenEventsMs = 100;
const refusingMs = 40_000;
const goneMs = 20_000;
/**
 * The end is reached after this long without a request. gosmee waits up to 16 s before its last attempt, a forward up to a
 * minute.
 */
const quietMs = 75_000;
const waitAtMostMs = 600_000;

type Relay = {
  /** The URL that the sender posts to. */
  url: string;
  /** Kills it with -9 and restarts it. */
  restart: () => Promise<void>;
  close: () => Promise<void>;
};
type Trace = { sent: number; accepted: number; arrived: number; lost: number[]; doubled: number; outOfOrder: number };

const dir = workspace('gosmee');
const binary = join(dir, `gosmee-${version}`);

async function build(): Promise<string> {
  if (existsSync(binary)) return 'built before';
  requirePrograms({ name: 'go', packageName: 'golang' }, { name: 'git', packageName: 'git' });
  const source = join(dir, 'source');
  rmSync(source, { recursive: true, force: true });
  mkdirSync(source);
  try {
    await run(['git', 'clone', '--quiet', '--no-checkout', repository, source], { cwd: dir });
  } catch (error) {
    throw new Error(
      `${String(error)}\n${repository} cannot be reached: give a clone of it as the argument, or put gosmee ${version}, built elsewhere, at ${binary}`,
    );
  }
  await run(['git', 'checkout', '--quiet', '--detach', commit], { cwd: source });
  const found = (await run(['git', 'rev-parse', 'HEAD^{tree}'], { cwd: source })).trim();
  ensure(found === tree, `the files' checksum is ${found}`);
  try {
    await run(['go', 'build', '-mod=vendor', '-o', 'built', '.'], { cwd: source, minutes: 30 });
  } catch (error) {
    throw new Error(
      `${String(error)}\nIf go could not download something (a proxy that answers 403, or an older go that wants a newer toolchain): build gosmee ${version} on another machine, with go build -mod=vendor, and put it at ${binary}`,
    );
  }
  renameSync(join(source, 'built'), binary);
  return (await run(['go', 'version'], { cwd: dir })).trim();
}

/** Opens a handler that counts; `state` sets its behaviour. */
async function openTarget() {
  const port = await freePort();
  const arrived: { n: number; text: string }[] = [];
  let [isRefusing, lastAt] = [false, performance.now()];
  let http: ReturnType<typeof Bun.serve> | undefined;
  const open = (): void => {
    http = Bun.serve({
      port,
      hostname: '127.0.0.1',
      fetch: async request => {
        const text = await request.text();
        lastAt = performance.now();
        if (isRefusing) return new Response(null, { status: 503 });
        arrived.push({ n: (JSON.parse(text) as { n: number }).n, text });
        return new Response(null, { status: 204 });
      },
    });
  };
  open();
  return {
    url: `http://127.0.0.1:${port}/hook`,
    arrived,
    lastAt: () => lastAt,
    answer: (): void => {
      isRefusing = false;
    },
    refuse: (): void => {
      isRefusing = true;
    },
    open,
    close: async () => void (await http?.stop(true)),
  };
}
type Target = Awaited<ReturnType<typeof openTarget>>;

async function openGosmee(target: Target): Promise<Relay> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const url = `${origin}/hooktapetrace0001`;
  let children: Bun.Subprocess[] = [];
  const start = async (): Promise<void> => {
    const spawn = (...args: string[]) => Bun.spawn([binary, ...args], { stdout: 'ignore', stderr: 'ignore' });
    const healthPort = await freePort();
    children = [spawn('server', '--address', '127.0.0.1', '--port', String(port), '--public-url', origin)];
    await eventually(async () => (await fetch(`${origin}/health`).catch(() => undefined))?.ok === true, 30_000);
    children.push(spawn('client', '--health-port', String(healthPort), url, target.url));
    const isConnected = async (): Promise<boolean> =>
      (await fetch(`http://127.0.0.1:${healthPort}/health`).catch(() => undefined))?.ok === true;
    await eventually(isConnected, 30_000);
    // gosmee does not report when it is connected to the relay server, so wait.
    await Bun.sleep(3000);
  };
  const kill = async (): Promise<void> => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(child => child.exited));
  };
  await start();
  return { url, restart: () => kill().then(start), close: kill };
}

async function openForward(target: Target): Promise<Relay> {
  const port = await freePort();
  const owner = 'owner@example.com';
  const installation = install({
    HOOKTAPE_BASE_URL: `http://127.0.0.1:${port}`,
    HOOKTAPE_OWNER_EMAIL: owner,
    HOOKTAPE_OWNER_PASSWORD: 'a quiet river at noon',
    HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8',
    HOOKTAPE_LOG_LEVEL: 'warn',
  });
  let server = await installation.start(port);
  const key = (await installation.run(['key', 'create', 'trace', '--account', owner])).stdout.trim();
  const post = async (path: string, body: object): Promise<{ id: string; url: string }> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${server.origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    ensure(response.status === 201, `${path}: ${response.status} ${await response.clone().text()}`);
    return (await response.json()) as { id: string; url: string };
  };
  const endpoint = await post('/api/endpoints', { name: 'trace' });
  await post(`/api/endpoints/${endpoint.id}/forwards`, { name: 'trace', url: target.url, mode: 'ordered' });
  return {
    url: endpoint.url,
    restart: async () => {
      await server.end('SIGKILL');
      server = await installation.start(port);
    },
    close: installation.remove,
  };
}

/** @returns the outcome of the events */
async function trace(openRelay: (target: Target) => Promise<Relay>): Promise<Trace> {
  const target = await openTarget();
  const relay = await openRelay(target);
  const accepted: number[] = [];
  let sent = 0;
  const send = async (): Promise<void> => {
    for (const upTo = sent + eventsPerPhase; sent < upTo; ) {
      const n = sent++;
      const headers = { 'content-type': 'application/json', 'x-github-event': 'push' };
      const body = JSON.stringify({ n });
      const response = await fetch(relay.url, { method: 'POST', headers, body }).catch(() => undefined);
      if (response?.ok) accepted.push(n);
      await Bun.sleep(betweenEventsMs);
    }
  };
  try {
    await send();
    target.refuse();
    await send();
    await Bun.sleep(refusingMs);
    await target.close();
    await send();
    await relay.restart();
    await Bun.sleep(goneMs);
    target.answer();
    target.open();
    await send();
    const isOver = (): boolean => {
      const all = new Set(target.arrived.map(({ n }) => n)).size === sent;
      return all || performance.now() - target.lastAt() > quietMs;
    };
    await eventually(isOver, waitAtMostMs);
  } finally {
    await relay.close();
    await target.close();
  }
  const order = target.arrived.map(({ n }) => n);
  const first = [...new Set(order)];
  return {
    sent,
    accepted: accepted.length,
    arrived: first.length,
    lost: accepted.filter(n => !first.includes(n)),
    doubled: order.length - first.length,
    outOfOrder: first.filter((n, i) => i > 0 && n < (first[i - 1] ?? 0)).length,
  };
}

const told = ({ lost, ...more }: Trace): string =>
  JSON.stringify({ ...more, lost: lost.length, which: lost.join(' ') });
const checks = createChecks();
await checks.check(`gosmee ${version} is built`, build);
await checks.check('the trace through gosmee', async () => {
  const result = await trace(openGosmee);
  ensure(result.arrived >= eventsPerPhase, `it does not relay: ${told(result)}`);
  return told(result);
});
await checks.check('the trace through an ordered forward: nothing is lost', async () => {
  const result = await trace(openForward);
  ensure(result.lost.length === 0 && result.accepted === result.sent && result.outOfOrder === 0, told(result));
  return told(result);
});
process.exit(checks.close());
