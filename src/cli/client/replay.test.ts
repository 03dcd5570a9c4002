/* `hooktape replay` and `hooktape job` against a real server, to destinations on this host. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplayJob } from '../../features/replay-jobs/model.ts';
import type { ComparisonReport } from '../../shared/comparison-report.ts';
import { type ClientHarness, openClientHarness } from '../../testing/client-commands.ts';
import { hooktapeAtTerminal } from '../../testing/command.ts';
import { eventually } from '../../testing/poll.ts';

let client: ClientHarness;
const opened: { stop: (now: boolean) => unknown }[] = [];
beforeAll(async () => {
  client = await openClientHarness({ env: { HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8' } });
});
afterAll(async () => {
  for (const one of opened) one.stop(true);
  await client.close();
});

type Handle = (body: { n: number }, n: number) => Response | Promise<Response>;
function destination(handle: Handle = () => new Response(null, { status: 204 })) {
  let received = 0;
  const http = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => handle((await request.json()) as { n: number }, ++received),
  });
  opened.push(http);
  return { url: `http://127.0.0.1:${http.port}/hook`, received: () => received };
}
let endpoints = 0;
async function endpointWith(count: number): Promise<string> {
  const name = `inbox-${endpoints++}`;
  const made = await client.json<{ id: string; url: string }>('endpoint', 'create', name);
  for (let n = 0; n < count; n++) await client.server.deliver(made, `{"n":${n}}`);
  return name;
}
const shortly = { sleep: (ms: number) => Bun.sleep(ms / 10) };
const replay = (...args: string[]) => hooktapeAtTerminal(shortly, client.env, 'replay', ...args);

describe('hooktape replay', () => {
  test('sends the events that match, and prints their outcomes', async () => {
    const name = await endpointWith(6);
    const { url, received } = destination();
    const { exitCode, stdout, stderr } = await replay(name, '--where', 'body.n>1', '--dest', url.slice(7));
    expect([exitCode, received()]).toEqual([0, 4]);
    expect(stdout).toMatch(/^job_\S+ is done: 4 ok of 4 events\n$/);
    expect(stderr).toMatch(/^job_\S+: 4 events, 28 B\n/);
  });

  test('exits with 1 when events failed, and lists them', async () => {
    const name = await endpointWith(3);
    const { url } = destination(({ n }) => new Response(null, { status: n === 1 ? 500 : 200 }));
    const { exitCode, stdout } = await replay(name, '--where', '', '--dest', url);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/is done: 2 ok, 1 failed of 3 events\nevt_\S+\t500\t\n$/);
    const again = await replay(name, '--where', '', '--dest', url, '--skip-ok', '--json');
    expect([again.exitCode, JSON.parse(again.stdout)]).toEqual([1, expect.objectContaining({ skipped: 2, failed: 1 })]);
  });

  test('--dry-run counts, and sends nothing', async () => {
    const name = await endpointWith(3);
    const { url, received } = destination();
    const wanted = [name, '--where', 'body.n>0', '--dest', url, '--dry-run'];
    expect(await replay(...wanted)).toMatchObject({ exitCode: 0, stdout: '2 events, 14 B\n' });
    expect(await client.json('replay', ...wanted)).toEqual({ matched: 2, bytes: 14 });
    expect(received()).toBe(0);
  });

  test('compares two handlers, and writes the report', async () => {
    const name = await endpointWith(5);
    const left = destination(({ n }) => Response.json({ n, list: [{ total: '1.0' }], at: Math.random() }));
    const right = destination(({ n }) =>
      Response.json({ n, list: [{ total: n < 2 ? '\u001b[2J' : '1.0' }], at: Math.random() }),
    );
    const wanted = [name, '--where', '', '--dest', left.url, '--dest2', right.url, '--ignore', 'body.at'];
    const file = join(client.directory, 'report.json');
    const { exitCode, stdout } = await replay(...wanted, '--report', file);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /is done: 3 same, 2 different of 5 events\nbody\.list\[\]\.total\t2 events\t"1\.0"\t"\\u001b\[2J"\tevt_/,
    );
    const report = JSON.parse(readFileSync(file, 'utf8')) as ComparisonReport<ReplayJob>;
    expect(report).toMatchObject({ truncated: false, paths: [{ path: 'body.list[].total', events: 2 }] });
    expect(report.items).toHaveLength(2);
    const markdown = join(client.directory, 'report.md');
    const all = await replay(...wanted, '--ignore', 'body.list[].total', '--report', markdown);
    expect([all.exitCode, readFileSync(markdown, 'utf8')]).toEqual([0, expect.stringContaining('No differences.')]);
  });

  test('Ctrl+C leaves the job running; job pauses, resumes, watches and cancels it', async () => {
    const name = await endpointWith(3);
    const { url, received } = destination();
    const untilSignal = async (): Promise<string> => {
      await eventually(() => received() === 1);
      return 'SIGINT';
    };
    const args = ['replay', name, '--where', '', '--dest', url, '--pace', '0.01/s'];
    const left = await hooktapeAtTerminal({ ...shortly, isTerminal: true, untilSignal }, client.env, ...args);
    const id = /job_\w+/.exec(left.stderr)?.[0] ?? '';
    expect(left).toMatchObject({ exitCode: 1, stdout: '' });
    expect(left.stderr).toContain(`${id} continues on the server. To watch it: hooktape job watch ${id}`);
    expect(left.stderr).toContain('] ');
    expect(await replay(name, '--where', '', '--dest', url)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('a job that is not over sends to this destination'),
    });
    expect(await client.json<ReplayJob>('job', 'pause', id)).toMatchObject({ state: 'paused' });
    const watched = await hooktapeAtTerminal(shortly, client.env, 'job', 'watch', id);
    expect(watched).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`hooktape job resume ${id}`) });
    expect((await client.run('job', 'resume', id)).stdout).toStartWith(`${id} is running: 1 ok`);
    expect((await client.run('job', 'cancel', id)).stdout).toStartWith(`${id} is cancelled`);
    expect((await client.run('job', 'list')).stdout).toContain(`${id}\t`);
    expect((await client.run('job', 'cancel', id)).exitCode).toBe(1);
  });

  test('a server that cannot be reached any more: exit code 4 after a minute, and the job goes on', async () => {
    const name = await endpointWith(2);
    const { url } = destination();
    // Between this proxy and the server nothing arrives after the job was created.
    let isCut = false;
    const proxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async request => {
        if (isCut) return new Response('', { status: 502 });
        isCut = request.method === 'POST';
        const { pathname, search } = new URL(request.url);
        const { method, headers } = request;
        const body = method === 'POST' ? await request.text() : undefined;
        const target = `${client.url}${pathname}${search}`;
        return fetch(target, { method, headers, decompress: false, ...(body !== undefined && { body }) });
      },
    });
    opened.push(proxy);
    const env = { ...client.env, HOOKTAPE_URL: `http://127.0.0.1:${proxy.port}` };
    let passedMs = 0;
    const sleep = async (ms: number): Promise<void> => {
      passedMs += ms;
    };
    const clock = { now: () => Date.now(), monotonic: () => passedMs };
    const args = ['replay', name, '--where', '', '--dest', url, '--pace', '0.01/s'];
    const { exitCode, stderr } = await hooktapeAtTerminal({ sleep, clock }, env, ...args);
    expect(exitCode).toBe(4);
    expect(stderr).toContain('continues when the server is back');
    expect(passedMs).toBeGreaterThanOrEqual(60_000);
  });

  test.each([
    ['--dest URL is missing', ['--where', '']],
    ['--where W is missing', ['--dest', 'localhost:1']],
    ['invalid where', ['--where', 'tpye:x', '--dest', 'localhost:1']],
    ['--ignore and --compare-header need --dest2', ['--where', '', '--dest', 'localhost:1', '--ignore', 'body.a']],
    ['--report needs --dest2', ['--where', '', '--dest', 'localhost:1', '--report', 'x.md']],
    ['--report: FILE must end in', ['--where', '', '--dest', ':1', '--dest2', ':2', '--report', 'x.txt']],
    ['--report: there is no folder', ['--where', '', '--dest', ':1', '--dest2', ':2', '--report', '/no/where/x.md']],
    ['pace must be', ['--where', '', '--dest', 'localhost:1', '--pace', 'fast']],
    ['from is not a time', ['--where', '', '--dest', 'localhost:1', '--from', 'last week']],
    ['--concurrency must be', ['--where', '', '--dest', 'localhost:1', '--concurrency', '33']],
    ['--per must be one of event, delivery', ['--where', '', '--dest', 'localhost:1', '--per', 'type']],
    ['dest and dest2 are the same URL', ['--where', '', '--dest', 'localhost:1', '--dest2', 'http://localhost:1/']],
  ])('%s: wrong usage', async (said, args) => {
    const name = endpoints === 0 ? await endpointWith(0) : 'inbox-0';
    const { exitCode, stdout, stderr } = await replay(name, ...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(said);
  });
});
