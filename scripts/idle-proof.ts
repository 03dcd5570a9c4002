/*
 * `bun scripts/idle-proof.ts [--idle 1h] [--timeout 60s]`: `hooktape listen` behind nginx, which closes connections that are silent for the timeout.
 * Nothing happens for the idle time; then an event must arrive at the local handler within a second, and a replay to the listener, too.
 * Uses nginx's defaults, with buffering, and not the configuration of the manual. nginx: from NGINX_PROGRAM, the PATH, /usr/sbin, or
 * the Debian package, which is unpacked and not installed. Needs `bun run build`. Loopback only.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseDuration } from '../src/shared/units.ts';
import { freePort } from '../src/testing/free-port.ts';
import { firstApi } from './lib/api.ts';
import { createChecks, ensure } from './lib/checks.ts';
import { builtBinary, install } from './lib/installation.ts';
import { until } from './lib/process.ts';

const { values } = parseArgs({
  options: { idle: { type: 'string', default: '1h' }, timeout: { type: 'string', default: '60s' } },
});
const duration = (text: string): number => {
  const ms = parseDuration(text);
  if (ms === undefined) throw new Error(`not a duration: ${text}`);
  return ms;
};
const [idleMs, timeoutMs] = [duration(values.idle), duration(values.timeout)];
const maxArrivalMs = 1000;

const directory = mkdtempSync(join(tmpdir(), 'hooktape-idle-'));
const nginx = findNginx();
const installation = install();
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const checks = createChecks();

/** The requests of the handler, with their times. */
const arrivals: { at: number; eventId: string | null }[] = [];
const handler = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: request => {
    arrivals.push({ at: performance.now(), eventId: request.headers.get('x-service-replay') });
    return new Response('handled', { status: 201 });
  },
});
const cleanUp: (() => unknown)[] = [
  () => handler.stop(true),
  () => rmSync(directory, { recursive: true, force: true }),
];

try {
  const server = await installation.start(await freePort());
  const proxy = Bun.spawn([nginx, '-c', configure(server.port), '-e', join(directory, 'error.log')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {},
  });
  cleanUp.unshift(async () => {
    proxy.kill();
    await proxy.exited;
  });
  const api = await firstApi(installation, server);
  const endpoint = await api.createEndpoint('idle');
  const listenKey = (
    await installation.run(['key', 'create', 'listener', '--account', 'owner@example.com'])
  ).stdout.trim();
  const token = new URL(endpoint.url).pathname;
  const deliver = async (body: string): Promise<string> => {
    const answer = await fetch(`${server.origin}${token}`, { method: 'POST', body });
    return ((await answer.json()) as { id: string }).id;
  };
  await until('nginx forwards requests', 15_000, () =>
    fetch(`${origin}/healthz`).then(
      answer => answer.ok,
      () => false,
    ),
  );

  const listen = Bun.spawn(
    [
      builtBinary(),
      'listen',
      endpoint.id,
      '--to',
      `http://127.0.0.1:${handler.port}/hooks`,
      '--as',
      'idle',
      '--output',
      'json',
    ],
    {
      env: { PATH: process.env['PATH'] ?? '', HOME: directory, HOOKTAPE_URL: origin, HOOKTAPE_KEY: listenKey },
      stdin: 'ignore',
      stdout: Bun.file(join(directory, 'lines')),
      stderr: Bun.file(join(directory, 'status')),
    },
  );
  cleanUp.unshift(async () => {
    listen.kill();
    await listen.exited;
  });
  const lines = (): { event: string }[] =>
    readFileSync(join(directory, 'lines'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line));
  const listeners = async () =>
    ((await (await api.get(`/api/endpoints/${endpoint.id}/listeners`)).json()) as { listeners: object[] }).listeners;
  /** @returns how long the event took from its delivery to the handler */
  const arrival = async (start: () => Promise<unknown>): Promise<number> => {
    const before = arrivals.length;
    const startedAt = performance.now();
    await start();
    await until('the event is at the handler', 30_000, async () => arrivals.length > before);
    return (arrivals[before]?.at ?? Number.NaN) - startedAt;
  };
  const isQuick = (ms: number): string => {
    ensure(ms <= maxArrivalMs, `${Math.round(ms)} ms`);
    return `${Math.round(ms)} ms`;
  };
  let last = '';

  await checks.check('an event arrives at the handler at first', async () => {
    await until('the listener is connected', 30_000, async () => (await listeners()).length === 1);
    return isQuick(await arrival(() => deliver('first')));
  });
  await checks.check(
    `nothing for ${values.idle}, with timeouts of ${values.timeout}: the listener stays connected`,
    async () => {
      let absent = 0;
      const endsAt = performance.now() + idleMs;
      while (performance.now() < endsAt) {
        await Bun.sleep(Math.min(5000, endsAt - performance.now()));
        ensure(
          listen.exitCode === null,
          `hooktape listen has ended: ${readFileSync(join(directory, 'status'), 'utf8')}`,
        );
        if ((await listeners()).length === 0) absent++;
      }
      const lost = lines().filter(({ event }) => event === 'disconnected').length;
      const log = readFileSync(join(directory, 'access.log'), 'utf8').trimEnd().split('\n');
      const refused = log.filter(line => / (?:499|50\d)$/.test(line)).length;
      ensure(
        lost === 0 && absent === 0 && refused === 0,
        `disconnected ${lost} times, absent ${absent} times, ${refused} requests were cut off`,
      );
      return `${log.length} requests, none cut off`;
    },
  );
  await checks.check('then an event arrives within a second', async () =>
    isQuick(await arrival(async () => (last = await deliver('last')))),
  );
  await checks.check('and a replay to the listener, with its answer', async () => {
    let result: unknown;
    const ms = await arrival(async () => {
      result = await (await api.post(`/api/events/${last}/replay`, { listener: 'idle' })).json();
    });
    ensure((result as { status: number }).status === 201, JSON.stringify(result));
    return isQuick(ms);
  });
  await checks.check('each event came once, and the position is behind none', async () => {
    ensure(arrivals.length === 3, `${arrivals.length} requests at the handler`);
    let behind: number | undefined;
    for (let tries = 0; behind !== 0 && tries < 15; tries++) {
      await Bun.sleep(1000);
      const answer = await api.get(`/api/endpoints/${endpoint.id}/consumers/idle`);
      ({ behind } = (await answer.json()) as { behind: number });
    }
    ensure(behind === 0, `the position is behind ${behind} events`);
    return undefined;
  });
} finally {
  for (const step of cleanUp) await step();
  await installation.remove();
}
process.exit(checks.close());

function findNginx(): string {
  const found = process.env['NGINX_PROGRAM'] ?? Bun.which('nginx', { PATH: `${process.env['PATH']}:/usr/sbin` });
  if (found) return found;
  const unpack = 'apt-get -qq download nginx && dpkg --extract nginx_*.deb root';
  const result = Bun.spawnSync(['sh', '-c', unpack], { cwd: directory, stdout: 'ignore', stderr: 'pipe' });
  if (result.success) return join(directory, 'root/usr/sbin/nginx');
  console.error(
    `nginx is missing, and its Debian package could not be unpacked. Install it, or name it in NGINX_PROGRAM.\n${result.stderr}`,
  );
  process.exit(1);
}

/** @returns the configuration file */
function configure(upstream: number): string {
  const file = join(directory, 'nginx.conf');
  const seconds = timeoutMs / 1000;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${directory}/pid;
events {}
http {
  log_format short '$request_method $uri $status';
  access_log ${directory}/access.log short;
  ${temporary.map(name => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  proxy_read_timeout ${seconds}s; proxy_send_timeout ${seconds}s; send_timeout ${seconds}s;
  client_header_timeout ${seconds}s; client_body_timeout ${seconds}s; keepalive_timeout ${seconds}s;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://127.0.0.1:${upstream}; proxy_set_header Host $host; }
  }
}
`,
  );
  return file;
}
