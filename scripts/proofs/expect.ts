/*
 * `bun scripts/proofs/expect.ts [--runs 200]`: runs 200 processes of `hooktape expect` at the same time against one server,
 * while deliveries are missing, duplicated, late, forged, attempted twice or correct. Each run must end with the exit code and
 * the sentence of its scenario. Half of them share one endpoint and separate their deliveries by a filter. In the second and
 * third round the server is restarted and killed while they wait. Needs dist/hooktape. Ends with `N passed, N failed`.
 */
import { createHmac } from 'node:crypto';
import { type AddressInfo, connect, createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { freePort } from '../../src/testing/free-port.ts';
import { createChecks, ensure } from '../lib/checks.ts';
import { install } from '../lib/installation.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '200' } } });
const runs = Number(values.runs);
const owner = { HOOKTAPE_OWNER_EMAIL: 'owner@example.com', HOOKTAPE_OWNER_PASSWORD: 'a quiet river at noon' };
const secret = 'a secret of this proof';

/** A delivery, sent this long after the command has reached the server; before the command if negative. */
type Sent = { atMs: number; signed?: boolean; attempt?: 'same' };
/** A scenario, and the result that `expect` must have. `isLate`: the delivery is sent after that result. */
type Scenario = {
  name: string;
  sends: readonly Sent[];
  isLate?: boolean;
  args: readonly string[];
  exitCode: number;
  says: RegExp;
};

const exact = ['--count', '1', '--verdict', 'valid'];
const scenarios: readonly Scenario[] = [
  {
    name: 'as expected',
    sends: [{ atMs: 200 }],
    args: [...exact, '--within', '120s', '--settle', '3s'],
    exitCode: 0,
    says: /^$/,
  },
  { name: 'there before', sends: [{ atMs: -1 }], args: ['--within', '120s'], exitCode: 0, says: /^$/ },
  {
    name: 'missing',
    sends: [],
    args: [...exact, '--within', '8s'],
    exitCode: 1,
    says: /not met: expected exactly 1 event .* within 8s, but/,
  },
  {
    name: 'doubled',
    sends: [{ atMs: 100 }, { atMs: 900 }],
    args: [...exact, '--within', '120s', '--settle', '120s'],
    exitCode: 3,
    says: /too many: expected exactly 1 event .*, but 2 events arrived/,
  },
  {
    name: 'late',
    sends: [{ atMs: 0 }],
    isLate: true,
    args: [...exact, '--within', '4s'],
    exitCode: 1,
    says: /not met: .* within 4s/,
  },
  {
    name: 'forged',
    sends: [{ atMs: 100, signed: false }],
    args: [...exact, '--within', '10s'],
    exitCode: 1,
    says: /fails verdict:valid: its signature is invalid/,
  },
  {
    name: 'two attempts, per event',
    sends: [{ atMs: 100 }, { atMs: 700, attempt: 'same' }],
    args: ['--count', '1', '--within', '120s', '--settle', '120s'],
    exitCode: 3,
    says: /attempts of 1 delivery/,
  },
  {
    name: 'two attempts, per delivery',
    sends: [{ atMs: 100 }, { atMs: 700, attempt: 'same' }],
    args: ['--count', '1', '--per', 'delivery', '--within', '120s', '--settle', '8s'],
    exitCode: 0,
    says: /^$/,
  },
  { name: 'none, and none comes', sends: [], args: ['--none', '--within', '6s'], exitCode: 0, says: /^$/ },
  {
    name: 'none, but one comes',
    sends: [{ atMs: 500 }],
    args: ['--none', '--within', '120s'],
    exitCode: 3,
    says: /too many: expected no event .*, but 1 event arrived/,
  },
];

const checks = createChecks();
const port = await freePort();
const installation = install({ ...owner, HOOKTAPE_LOG_LEVEL: 'warn', HOOKTAPE_RATE_LIMIT: '100000' });
let server = await installation.start(port);
try {
  const key = (
    await installation.run(['key', 'create', 'proof', '--account', owner.HOOKTAPE_OWNER_EMAIL])
  ).stdout.trim();
  const call = async <T>(path: string, body: object): Promise<T> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${server.origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    ensure(response.ok, `${path}: ${response.status} ${await response.clone().text()}`);
    return (await response.json()) as T;
  };
  const createEndpoint = async (name: string) => {
    const endpoint = await call<{ id: string; url: string }>('/api/endpoints', { name });
    await call(`/api/endpoints/${endpoint.id}/secrets`, { platform: 'github', secret });
    return endpoint;
  };
  /** Retries like a sender while the server restarts. */
  const deliver = async (url: string, run: number, delivery: string, isSigned: boolean): Promise<void> => {
    const body = JSON.stringify({ run, ref: 'refs/heads/main' });
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': delivery,
      'x-hub-signature-256': `sha256=${createHmac('sha256', isSigned ? secret : 'guessed')
        .update(body)
        .digest('hex')}`,
    };
    const path = new URL(url).pathname;
    for (;;) {
      const response = await fetch(`${server.origin}${path}`, { method: 'POST', headers, body }).catch(() => undefined);
      if (response?.ok) return;
      await Bun.sleep(100);
    }
  };

  const shared = await createEndpoint('shared');
  /** The commands connect through this proxy, which records the commands that have reached the server. */
  const reached = new Set<number>();
  const relay = createServer(socket => {
    const upstream = connect(port, '127.0.0.1');
    socket.on('data', data => {
      const run = /body\.run%3A(\d+)/.exec(data.toString('latin1'))?.[1];
      if (run !== undefined) reached.add(Number(run));
    });
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.resetAndDestroy());
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>(resolve => relay.listen(0, '127.0.0.1', resolve));
  const relayPort = (relay.address() as AddressInfo).port;
  const env = { HOOKTAPE_URL: `http://127.0.0.1:${relayPort}`, HOOKTAPE_KEY: key };

  type Planned = { run: number; scenario: Scenario; endpoint: { id: string; url: string }; mark: string };
  const plan = async (run: number): Promise<Planned> => {
    const scenario = scenarios[run % scenarios.length] as Scenario;
    const endpoint = run % 4 < 2 ? shared : await createEndpoint(`own ${run}`);
    const { stdout } = await installation.run(['mark', endpoint.id], env);
    return { run, scenario, endpoint, mark: stdout.trim() };
  };
  const play = async ({ run, scenario, endpoint, mark }: Planned): Promise<string | undefined> => {
    const first = crypto.randomUUID();
    const send = async ({ atMs, signed = true, attempt }: Sent, index: number): Promise<void> => {
      await untilReached(run);
      await Bun.sleep(atMs);
      await deliver(endpoint.url, run, index === 0 || attempt === 'same' ? first : crypto.randomUUID(), signed);
    };
    for (const { atMs, signed = true } of scenario.sends) if (atMs < 0) await deliver(endpoint.url, run, first, signed);
    const where = ['--where', `type:push body.run:${run}`];
    const args = ['expect', endpoint.id, '--after', mark, ...where, ...scenario.args];
    const expecting = installation.run(args, env, 300_000);
    const rest = scenario.sends.filter(({ atMs }) => atMs >= 0);
    const sending = scenario.isLate ? expecting.then(() => Promise.all(rest.map(send))) : Promise.all(rest.map(send));
    const { exitCode, stdout, stderr } = await expecting;
    await sending;
    const said = stderr.replace(/^.*retrying\.\n/gm, '');
    if (exitCode === scenario.exitCode && scenario.says.test(said)) return undefined;
    return `run ${run} (${scenario.name}): ${exitCode} instead of ${scenario.exitCode}\n${stdout}${stderr}`;
  };
  const untilReached = async (run: number): Promise<void> => {
    while (!reached.has(run)) await Bun.sleep(20);
  };

  for (const [round, signal] of [undefined, 'SIGTERM' as const, 'SIGKILL' as const].entries())
    await checks.check(`${runs} runs at the same time${signal ? `, and the server gets ${signal}` : ''}`, async () => {
      const planned: Planned[] = [];
      for (let run = 0; run < runs; run += 4)
        planned.push(
          ...(await Promise.all([0, 1, 2, 3].filter(n => run + n < runs).map(n => plan(round * runs + run + n)))),
        );
      const startedAt = performance.now();
      let awayMs = 0;
      const all = Promise.all(planned.map(play));
      if (signal) {
        await Promise.all(planned.map(({ run }) => untilReached(run)));
        await Bun.sleep(1500);
        const awayAt = performance.now();
        await server.end(signal);
        server = await installation.start(port);
        awayMs = performance.now() - awayAt;
      }
      const problems = (await all).flatMap(problem => problem ?? []);
      ensure(
        problems.length === 0,
        `${problems.length} of ${runs} ended otherwise; the server was away for ${Math.round(awayMs)} ms\n${problems.slice(0, 5).join('\n')}`,
      );
      return `${((performance.now() - startedAt) / 1000).toFixed(0)} s, the server away for ${Math.round(awayMs)} ms`;
    });
  relay.close();
} finally {
  await installation.remove();
}
process.exit(checks.close());
