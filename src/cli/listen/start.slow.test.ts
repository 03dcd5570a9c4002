/* What `hooktape listen` checks and asks before it begins. */
import { afterEach, describe, expect, test } from 'bun:test';
import { mkdirSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { hooktape } from '../../testing/command.ts';
import { useListenHarness } from '../../testing/listen-harness.ts';
import { eventually } from '../../testing/poll.ts';
import { defaultNames } from './options.ts';

const harness = await useListenHarness();
const main = join(import.meta.dir, '../../main.ts');

describe('questions before the start', () => {
  test('more events than --max-backlog: exit code 5 without a terminal, and no consumer', async () => {
    for (const n of [1, 2, 3]) await harness.deliver(`{"n":${n}}`);
    const from = ['--to', harness.target().origin, '--from', 'start'];
    const refused = await harness.start([...from, '--max-backlog', '2']).ended;
    expect([refused.exitCode, refused.stdout, harness.target().requests]).toEqual([5, '', []]);
    expect(refused.stderr).toContain('--max-backlog');
    expect((await harness.client.ada.call('GET', `/api/endpoints/${harness.inbox().id}/consumers/me`)).status).toBe(
      404,
    );
    await harness.listen(...from, '--max-backlog', '3');
    await harness.arrived(3);
  });

  test('counts events that match --where, from the position on', async () => {
    for (const n of [1, 2, 3]) await harness.deliver(`{"n":${n}}`);
    await harness.listen(
      '--to',
      harness.target().origin,
      '--from',
      'start',
      '--where',
      'body.n:2',
      '--max-backlog',
      '1',
    );
    await harness.arrived(1);
  });

  test.each([
    ['y', 4],
    ['n', 1],
  ])('at a terminal it asks: %s', async (said, count) => {
    for (const n of [1, 2, 3]) await harness.deliver(`{"n":${n}}`);
    const ask = async (question: string) => {
      expect(question).toContain('3 events');
      return said;
    };
    const args = ['--to', harness.target().origin, '--from', 'start', '--max-backlog', '2'];
    const listener = harness.start(args, { ask });
    await eventually(() => listener.said.stderr.includes('Connected'));
    await harness.deliver('{"n":4}');
    await harness.arrived(count);
    expect(harness.bodies().at(-1)).toBe('{"n":4}');
    expect(harness.target().requests).toHaveLength(count);
  });

  test('in the background of a terminal it does not ask, because reading the answer would stop it', async () => {
    for (const n of [1, 2]) await harness.deliver(`{"n":${n}}`);
    const args = ['--to', harness.target().origin, '--from', 'start', '--max-backlog', '1'];
    const { exitCode, stderr } = await harness.start(args, { ask: async () => 'y', isForeground: () => false }).ended;
    expect([exitCode, stderr, harness.target().requests]).toEqual([5, expect.stringContaining('--max-backlog N'), []]);
  });

  test('quitting there delivers nothing', async () => {
    for (const n of [1, 2]) await harness.deliver(`{"n":${n}}`);
    const args = ['--to', harness.target().origin, '--from', 'start', '--max-backlog', '1'];
    const { exitCode } = await harness.start(args, { ask: async () => '' }).ended;
    expect([exitCode, harness.target().requests]).toEqual([5, []]);
  });
});

describe('without --as', () => {
  /** In a folder of that name. Its own arguments replace those of the harness. */
  const listenIn = async (folder: string, ...more: string[]) => {
    const path = join(harness.client.directory, folder);
    mkdirSync(path, { recursive: true });
    const child = Bun.spawn([process.execPath, main, 'listen', harness.inbox().id, ...more], {
      cwd: path,
      env: { PATH: process.env['PATH'] ?? '', ...harness.client.env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    started.push(child);
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      void (async () => {
        for await (const chunk of child[name]) said[name] += Buffer.from(chunk).toString();
      })();
    await eventually(() => said.stderr.includes('Connected'), 15_000);
    const stop = (): Promise<number> => {
      child.kill('SIGINT');
      return child.exited;
    };
    return { said, stop };
  };
  const started: Bun.Subprocess[] = [];
  afterEach(() => {
    for (const one of started.splice(0)) one.kill('SIGKILL');
  });

  test.each([
    ['wt1/shop', 'wt2/shop'],
    ['日本語', '中文'],
  ])(
    'the folders %s and %s have a position each',
    async (one, other) => {
      for (const folder of [one, other]) expect(await (await listenIn(folder)).stop()).toBe(0);
      const id = await harness.deliver('{"n":1}');
      for (const folder of [one, other]) {
        const { said, stop } = await listenIn(folder);
        await eventually(() => said.stdout.includes(id));
        await stop();
      }
    },
    30_000,
  );

  test('the first session continues from the position that an earlier version made, and leaves it alone', async () => {
    const consumers = `/api/endpoints/${harness.inbox().id}/consumers`;
    const { formerName } = defaultNames(hostname(), join(harness.client.directory, 'old/shop'));
    await harness.client.ada.json(200, 'PUT', `${consumers}/${formerName}`, { cursor: 'now' });
    const id = await harness.deliver('{"n":1}');
    for (const folder of ['old/shop', 'other/shop']) {
      const { said, stop } = await listenIn(folder);
      await eventually(() => said.stdout.includes(id));
      expect(said.stderr).toContain(`Continuing where ${formerName} was.`);
      await stop();
      const { name } = defaultNames(hostname(), realpathSync(join(harness.client.directory, folder)));
      expect(await harness.client.ada.json(200, 'GET', `${consumers}/${name}`)).toMatchObject({ behind: 0 });
      const again = await listenIn(folder);
      expect(again.said.stderr).not.toContain('Continuing');
      await again.stop();
    }
    expect(await harness.client.ada.json(200, 'GET', `${consumers}/${formerName}`)).toMatchObject({ behind: 1 });
  }, 120_000);

  test('an earlier position is not used when --from or --as says otherwise', async () => {
    const consumers = `/api/endpoints/${harness.inbox().id}/consumers`;
    const { formerName } = defaultNames(hostname(), join(harness.client.directory, 'old/shop'));
    await harness.client.ada.json(200, 'PUT', `${consumers}/${formerName}`, { cursor: 'now' });
    await harness.deliver('{"n":1}');
    for (const more of [
      ['--from', 'now'],
      ['--as', 'other'],
    ]) {
      const { said, stop } = await listenIn('old/shop', ...more);
      const id = await harness.deliver('{"n":2}');
      await eventually(() => said.stdout.includes(id));
      expect([said.stdout.trim().split('\n').length, said.stderr]).toEqual([
        1,
        expect.not.stringContaining('Continuing'),
      ]);
      await stop();
    }
  }, 120_000);
});

test.each([
  ['ENDPOINT… is missing', []],
  ['--map takes', ['x', '--map', 'type:a']],
  ['--map: ', ['x', '--map', 'typ:a=>http://localhost:1']],
  ['--where: ', ['x', '--where', 'typ:a']],
  ['is not this machine', ['x', '--to', 'http://192.0.2.1/']],
  ['is not this machine', ['x', '--map', 'type:a=>https://8.8.8.8/']],
  ['--map: must be an absolute http or https URL, not ftp://x', ['x', '--map', 'type:a=>ftp://x', '--to', '3000']],
  ['--map: the URL must not contain a user name', ['x', '--map', 'type:a=>http://a:b@localhost', '--to', '3000']],
  ['--to: must be an absolute http or https URL, not ftp://x', ['x', '--to', 'ftp://x']],
  ['--from takes', ['x', '--from', 'yesterday']],
  ['--as takes', ['x', '--as', 'Me!']],
  ['but not "." or ".."', ['x', '--as', '..']],
  ['--on-fail must be one of hold, skip, stop', ['x', '--on-fail', 'wait']],
  ['--retry must be', ['x', '--retry', '-1']],
  ['--concurrency must be', ['x', '--concurrency', '0']],
  ['--timeout takes', ['x', '--timeout', '2d']],
  ['--path must be one of keep, drop', ['x', '--path', 'both']],
  ['signing needs --secret-env', ['x', '--resign']],
  ['NOT_SET is not set', ['x', '--resign', '--secret-env', 'NOT_SET']],
  ['--exec CMD ARG… is missing', ['x', '--exec']],
  ['use either --to or --exec', ['x', '--to', 'localhost:1', '--exec', 'true']],
  ["--json can't be combined with --output lines", ['x', '--json', '--output', 'lines']],
  ['--output tui needs an interactive terminal', ['x', '--output', 'tui']],
  ['--header takes', ['x', '--header', 'none']],
])('"%s" is wrong usage', async (said, args) => {
  const { exitCode, stdout, stderr } = await hooktape(harness.client.env, 'listen', ...args);
  expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(said)]);
});

test('an endpoint that is not there is exit code 1, a server that is not there 4', async () => {
  expect((await hooktape(harness.client.env, 'listen', 'nobody')).exitCode).toBe(1);
  const env = { ...harness.client.env, HOOKTAPE_URL: 'http://127.0.0.1:1' };
  expect((await hooktape(env, 'listen', 'nobody')).exitCode).toBe(4);
});
