/*
 * `bun scripts/proofs/expect.ts [--runs 200]`: that many `hooktape expect` at the same time, as processes of their own, against one
 * server, while deliveries are missing, doubled, late, forged, attempted twice or as they should be. Each run must end with the exit code
 * of what was planted for it, and say the sentence. Half of them share one endpoint and tell their deliveries apart by a filter. In the
 * middle the server is restarted. Needs dist/hooktape. Ends with `N passed, N failed`.
 */
import { createHmac } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createChecks, ensure } from '../lib/checks.ts';
import { freePort, install } from '../lib/installation.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '200' } } });
const runs = Number(values.runs);
const owner = { HOOKTAPE_OWNER_EMAIL: 'owner@example.com', HOOKTAPE_OWNER_PASSWORD: 'a quiet river at noon' };
const secret = 'a secret of this proof';

/** What is planted, and how `expect` must end. `times`: when each delivery is sent, in ms; `late` ones only after the command has ended. */
type Scenario = {
  name: string;
  sends: readonly { atMs: number; signed?: boolean; attempt?: 'same' }[];
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
  const env = { HOOKTAPE_URL: server.origin, HOOKTAPE_KEY: key };
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
  /** A sender tries again while the server restarts. */
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
  const one = async (run: number): Promise<{ scenario: Scenario; problem: string | undefined }> => {
    const scenario = scenarios[run % scenarios.length] as Scenario;
    const endpoint = run % 4 < 2 ? shared : await createEndpoint(`own ${run}`);
    const mark = (await installation.run(['mark', endpoint.id], env, 120_000)).stdout.trim();
    const first = crypto.randomUUID();
    const send = async ({ atMs, signed = true, attempt }: Scenario['sends'][number], index: number): Promise<void> => {
      if (atMs > 0) await Bun.sleep(atMs);
      await deliver(endpoint.url, run, index === 0 || attempt === 'same' ? first : crypto.randomUUID(), signed);
    };
    const early = scenario.sends.filter(({ atMs }) => atMs < 0);
    for (const [index, sent] of early.entries()) await send(sent, index);
    const where = `type:push body.run:${run}`;
    const expecting = installation.run(
      ['expect', endpoint.id, '--after', mark, '--where', where, ...scenario.args],
      env,
      300_000,
    );
    const rest = scenario.sends.filter(({ atMs }) => atMs >= 0);
    const sending = scenario.isLate
      ? expecting.then(() => Promise.all(rest.map(send)))
      : Promise.all(rest.map((sent, index) => send(sent, early.length + index)));
    const { exitCode, stdout, stderr } = await expecting;
    await sending;
    const said = stderr.replace(/^.*trying again\.\n/gm, '');
    const isRight = exitCode === scenario.exitCode && scenario.says.test(said);
    return {
      scenario,
      problem: isRight ? undefined : `run ${run}: ${exitCode} instead of ${scenario.exitCode}\n${stdout}${stderr}`,
    };
  };

  for (const restarts of [false, true])
    await checks.check(`${runs} runs at the same time${restarts ? ', and the server restarts' : ''}`, async () => {
      const startedAt = performance.now();
      const all = Promise.all(Array.from({ length: runs }, (_, run) => one(run + (restarts ? runs : 0))));
      if (restarts) {
        await Bun.sleep(3000);
        await server.end('SIGTERM');
        server = await installation.start(port);
      }
      const results = await all;
      const problems = results.flatMap(({ problem }) => problem ?? []);
      ensure(
        problems.length === 0,
        `${problems.length} of ${runs} ended otherwise\n${problems.slice(0, 5).join('\n')}`,
      );
      const counts = scenarios.map(
        ({ name }) => `${results.filter(({ scenario }) => scenario.name === name).length} ${name}`,
      );
      return `${((performance.now() - startedAt) / 1000).toFixed(0)} s; ${counts.join(', ')}`;
    });
} finally {
  await installation.remove();
}
process.exit(checks.close());
