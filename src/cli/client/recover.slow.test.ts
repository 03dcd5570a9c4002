/* `hooktape recover github` against a real server and a fake of GitHub's API. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Ended } from '../../testing/command.ts';
import { hooktapeAtTerminal } from '../../testing/command.ts';
import { type ExpectHarness, type Inbox, openExpectHarness } from '../../testing/expectations.ts';
import { type FakeGithub, githubToken, guidOf, openFakeGithub } from '../../testing/fake-github.ts';
import { eventually } from '../../testing/poll.ts';
import { exchange } from '../../testing/raw-http.ts';

let harness: ExpectHarness;
const opened: FakeGithub[] = [];
beforeAll(async () => {
  harness = await openExpectHarness();
});
afterAll(async () => {
  for (const one of opened) one.close();
  await harness.close();
});

type Result = {
  listed: number;
  recorded: number;
  missing: number;
  requested: number;
  recovered: number;
  failed: string[];
};
const hourMs = 3_600_000;
const push = (inbox: Inbox, guid: string) => harness.push(inbox, { guid }, { delivery: guid });

function open(options: Parameters<typeof openFakeGithub>[0] = {}): FakeGithub {
  const github = openFakeGithub(options);
  opened.push(github);
  return github;
}
/** An endpoint, and GitHub with `count` deliveries, the last one the newest; each redelivery arrives. */
async function lost(count: number, options: Parameters<typeof openFakeGithub>[0] = {}) {
  const inbox = await harness.createInbox();
  const github = open({ deliver: guid => push(inbox, guid), ...options });
  const guids = Array.from({ length: count }, (_, n) => guidOf(n));
  for (const [n, guid] of guids.entries()) github.add(guid, Date.now() - (count - n) * 1000);
  return { inbox, github, guids };
}

const env = () => ({ ...harness.client.env, GITHUB_TOKEN: githubToken });
const sleep = (ms: number): Promise<void> => Bun.sleep(ms);
const argsOf = ({ id }: Inbox, { url }: { url: string }): string[] =>
  `recover github --repo o/r --hook 7 --endpoint ${id} --api ${url}`.split(' ');
const recover = (inbox: Inbox, github: { url: string }, ...more: string[]): Promise<Ended> =>
  hooktapeAtTerminal({ sleep }, env(), ...argsOf(inbox, github), ...more);
async function recovered(inbox: Inbox, github: FakeGithub, ...more: string[]): Promise<[number, Result]> {
  const { exitCode, stdout } = await recover(inbox, github, '--json', ...more);
  return [exitCode, JSON.parse(stdout)];
}

describe('hooktape recover github', () => {
  test('asks for the deliveries that the endpoint does not have, whatever GitHub says of them', async () => {
    const { inbox, github, guids } = await lost(4);
    await push(inbox, guids[0] ?? '');
    await push(inbox, guids[2] ?? '');
    const dry = await recovered(inbox, github, '--dry-run');
    expect(dry).toEqual([1, { listed: 4, recorded: 2, missing: 2, requested: 0, recovered: 0, failed: [] }]);
    expect(github.redelivered).toEqual([]);
    const counts = { listed: 4, recorded: 2, missing: 2, requested: 2, recovered: 2, failed: [] };
    expect(await recovered(inbox, github)).toEqual([0, counts]);
    expect(github.redelivered.toSorted()).toEqual([guids[1] ?? '', guids[3] ?? ''].toSorted());
    expect(await recover(inbox, github)).toMatchObject({
      exitCode: 0,
      stdout: '4 listed, 4 recorded, 0 missing, 0 requested, 0 recovered\n',
    });
    expect(await recover(inbox, github, '--dry-run')).toMatchObject({ exitCode: 0 });
  });

  test('reads all pages, follows links to other paths, and keeps ids of 64 bits', async () => {
    const { inbox, github, guids } = await lost(230);
    for (const guid of guids.slice(2)) await push(inbox, guid);
    expect(await recovered(inbox, github)).toMatchObject([0, { listed: 230, recorded: 228, recovered: 2 }]);
    const paths = github.requests.map(({ path }) => path);
    expect(paths.slice(0, 3)).toEqual([
      '/repos/o/r/hooks/7/deliveries?per_page=100',
      '/repositories/1/hooks/7/deliveries?per_page=100&cursor=100',
      '/repositories/1/hooks/7/deliveries?per_page=100&cursor=200',
    ]);
    expect(paths.slice(3).toSorted()).toEqual(
      [2n ** 62n, 2n ** 62n + 1n].map(id => `/repos/o/r/hooks/7/deliveries/${id}/attempts`),
    );
  });

  test('looks back no further than --since, and reads no further pages', async () => {
    const { inbox, github } = await lost(0);
    for (let n = 0; n < 150; n++) github.add(guidOf(n), Date.now() - 50 * hourMs);
    for (let n = 150; n < 152; n++) github.add(guidOf(n), Date.now() - hourMs);
    const result = await recovered(inbox, github, '--since', '2h', '--dry-run');
    expect(result).toMatchObject([1, { listed: 2, missing: 2 }]);
    expect(github.requests).toHaveLength(1);
    expect(await recovered(inbox, github, '--dry-run')).toMatchObject([1, { listed: 152 }]);
  });

  test('counts a delivery once, with all its attempts at GitHub and here', async () => {
    const { inbox, github, guids } = await lost(2);
    const [stored = '', missing = ''] = guids;
    for (let n = 0; n < 3; n++) {
      await push(inbox, stored);
      github.add(stored, Date.now(), true);
      github.add(missing, Date.now(), true);
    }
    expect(await recovered(inbox, github)).toMatchObject([0, { listed: 2, recorded: 1, missing: 1, requested: 1 }]);
  });

  test('knows an event that is older than what GitHub lists, and the header in any case', async () => {
    const { inbox, github, guids } = await lost(2);
    const [old = '', raw = ''] = guids;
    const { ada, server } = harness.client;
    const id = await push(inbox, old);
    const path = `/api/endpoints/${inbox.id}/export?ids=${id}`;
    const { events } = await ada.json<{ events: Record<string, unknown>[] }>(200, 'GET', path);
    await ada.json(200, 'DELETE', `/api/events/${id}`);
    const receivedAt = Date.now() - 5 * 24 * hourMs;
    await server.services.imports.add(inbox.id, [{ ...events[0], receivedAt }]);
    const headers = ['Host: x', 'X-GitHub-Event: push', `X-GitHub-Delivery: ${raw}`, 'Content-Length: 2'];
    const head = [`POST ${new URL(inbox.url).pathname} HTTP/1.1`, ...headers, 'Connection: close'].join('\r\n');
    expect(await exchange(harness.client.url, `${head}\r\n\r\n{}`)).toStartWith('HTTP/1.1 200');
    expect(await recovered(inbox, github, '--dry-run')).toMatchObject([0, { listed: 2, recorded: 2, missing: 0 }]);
  });

  test('of an organization, with a token of another name', async () => {
    const { inbox, github } = await lost(1);
    const words = `recover github --org o --hook 7 --endpoint ${inbox.id} --api ${github.url}/ --token-env T --json`;
    const ended = await hooktapeAtTerminal(
      { sleep },
      { ...env(), GITHUB_TOKEN: '', T: githubToken },
      ...words.split(' '),
    );
    expect(JSON.parse(ended.stdout)).toMatchObject({ missing: 1, recovered: 1 });
    expect(github.requests[0]?.path).toBe('/orgs/o/hooks/7/deliveries?per_page=100');
  });
});

describe('a redelivery', () => {
  test('that fails is requested again', async () => {
    const { inbox, github } = await lost(1, { deliver: (guid, n) => n === 2 && push(inbox, guid) });
    expect(await recovered(inbox, github, '--within', '6s')).toMatchObject([0, { requested: 1, recovered: 1 }]);
    expect(github.redelivered).toHaveLength(2);
  });

  test('that never arrives is requested three times, and then failed', async () => {
    const { inbox, github, guids } = await lost(2, { deliver: guid => guid === guids[0] && push(inbox, guid) });
    const [exitCode, result] = await recovered(inbox, github, '--within', '3s');
    expect([exitCode, result]).toMatchObject([1, { requested: 2, recovered: 1, failed: [guids[1]] }]);
    expect(github.redelivered.filter(guid => guid === guids[1])).toHaveLength(3);
  });

  test('that GitHub refuses says why', async () => {
    const refuse = ({ method }: Request) =>
      method === 'POST' ? Response.json({ message: 'gone \u001b[2J' }, { status: 422 }) : undefined;
    const { inbox, github, guids } = await lost(1, { intercept: refuse });
    const { exitCode, stdout } = await recover(inbox, github, '--within', '2s');
    expect([exitCode, stdout]).toEqual([
      1,
      `1 listed, 0 recorded, 1 missing, 1 requested, 0 recovered\n${guids[0]}\t422 gone \\u001b[2J\n`,
    ]);
    expect(github.requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
  });

  test('without permission ends the command at once', async () => {
    const refuse = ({ method }: Request) =>
      method === 'POST' ? Response.json({ message: 'Resource not accessible' }, { status: 403 }) : undefined;
    const { inbox, github } = await lost(3, { intercept: refuse });
    const { exitCode, stderr } = await recover(inbox, github);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('403 Resource not accessible: the token needs write access to webhooks'),
    ]);
    expect(github.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

describe('a rate limit', () => {
  test('is obeyed for the list and for redeliveries, also when it is only announced', async () => {
    const at: number[] = [];
    const { inbox, github } = await lost(1, {
      intercept: (_, n) => {
        at.push(performance.now());
        if (n === 1) return new Response('', { status: 429, headers: { 'retry-after': '1' } });
        const reset = Math.ceil(Date.now() / 1000) + 1;
        const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset), date: '' };
        return n === 3 ? Response.json({ message: 'API rate limit exceeded' }, { status: 403, headers }) : undefined;
      },
    });
    const { exitCode, stderr } = await recover(inbox, github);
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining("GitHub's rate limit is reached; continuing in 1 s.\n"),
    ]);
    const gaps = at.slice(1).map((one, n) => one - (at[n] ?? 0));
    expect(gaps[0]).toBeGreaterThanOrEqual(995);
    expect(gaps[2]).toBeGreaterThanOrEqual(995);
  });

  test('that lasts longer than --within ends the command without another request', async () => {
    const { inbox, github, guids } = await lost(2, {
      intercept: ({ method }) =>
        method === 'POST' && github.redelivered.length === 1
          ? new Response('', { status: 429, headers: { 'retry-after': '3600' } })
          : undefined,
    });
    const { exitCode, stdout, stderr } = await recover(inbox, github, '--within', '2s', '--json');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      1,
      { missing: 2, requested: 1, recovered: 1, failed: [guids[0]] },
    ]);
    expect(stderr).toContain('allows no request for another 3600 s');
    expect(github.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);

    const away = open({ intercept: () => new Response('', { status: 403, headers: { 'retry-after': '3600' } }) });
    expect(await recover(inbox, away, '--within', '2s')).toMatchObject({ exitCode: 1, stdout: '' });
    expect(away.requests).toHaveLength(1);
  });
});

describe('the token', () => {
  test('never goes to another server', async () => {
    const other = open();
    const { inbox, github } = await lost(1, {
      intercept: () =>
        new Response(null, { status: 307, headers: { location: `${other.url}/repos/o/r/hooks/7/deliveries` } }),
    });
    const { exitCode, stderr } = await recover(inbox, github);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('leads to another server')]);
    const link = open({
      intercept: () => new Response('[]', { headers: { link: `<${other.url}/x?cursor=1>; rel="next"` } }),
    });
    expect(await recover(inbox, link)).toMatchObject({ exitCode: 1, stdout: '' });
    expect(other.requests).toEqual([]);
  });

  test('follows a redirect of a renamed repository on the same server', async () => {
    const { inbox, github } = await lost(1, {
      intercept: request => {
        const moved = request.url.replace('/repos/o/r/', '/repositories/1/');
        return moved === request.url ? undefined : new Response(null, { status: 307, headers: { location: moved } });
      },
    });
    expect(await recovered(inbox, github)).toMatchObject([0, { recovered: 1 }]);
  });
});

describe('an answer of GitHub that makes no sense', () => {
  const item = `"guid":"${guidOf(1)}","delivered_at":"2026-11-20T00:00:00Z"`;
  test.each<[string, () => Response]>([
    ['there is no such webhook', () => Response.json({ message: 'Not Found' }, { status: 404 })],
    ['the token is not valid', () => Response.json({ message: 'Bad credentials' }, { status: 401 })],
    ['not a list of deliveries', () => new Response('<html>')],
    ['not a list of deliveries', () => Response.json({ message: 'x' })],
    ['not a list of deliveries', () => Response.json([null])],
    ['not a list of deliveries', () => new Response(`[{"id":"../../user",${item}}]`)],
    ['not a list of deliveries', () => new Response(`[{"id":1e3,${item}}]`)],
    ['not a list of deliveries', () => new Response('[{"id":1,"guid":"a\\" OR size>0 OR \\"","delivered_at":"2026"}]')],
    ['not a list of deliveries', () => new Response(`[{"id":1,"guid":"${guidOf(1)}","delivered_at":"soon"}]`)],
    ['has no end', () => new Response('[]', { headers: { link: '<?per_page=100>; rel="next"' } })],
    ['redirects too often', () => new Response(null, { status: 302, headers: { location: '' } })],
    ['is too long', () => new Response(new Uint8Array(9 << 20).fill(32))],
  ])('is an error: %s', async (said, answer) => {
    const inbox = await harness.createInbox();
    const github = open({ intercept: answer });
    const { exitCode, stdout, stderr } = await recover(inbox, github);
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(said)]);
  });

  test('a problem that passes does not matter, and one that stays is said', async () => {
    const { inbox, github } = await lost(1, {
      intercept: (_, n) => (n < 3 ? new Response('', { status: 502 }) : undefined),
    });
    const quick = { sleep: (ms: number) => Bun.sleep(ms / 20) };
    const ended = await hooktapeAtTerminal(quick, env(), ...argsOf(inbox, github), '--json');
    expect(JSON.parse(ended.stdout)).toMatchObject({ recovered: 1 });
    const gone = await hooktapeAtTerminal(quick, env(), ...argsOf(inbox, { url: 'http://127.0.0.1:1' }));
    expect(gone).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('http://127.0.0.1:1 cannot be reached'),
    });
  });
});

describe('wrong usage', () => {
  test.each([
    ['give either --repo or --org', '--hook 7'],
    ['give either --repo or --org', '--repo o/r --org o --hook 7'],
    ['--repo must be OWNER/NAME', '--repo ../.. --hook 7'],
    ['--repo must be OWNER/NAME', '--repo o --hook 7'],
    ['--org must be the name', '--org o/r --hook 7'],
    ['--hook must be the number', '--org o --hook 7/../8'],
    ['--hook ID is missing', '--org o'],
    ['environment variable NOPE is not set', '--org o --hook 7 --token-env NOPE'],
    ['--api must be https', '--org o --hook 7 --api http://github.example.com'],
    ['--api must be a URL', '--org o --hook 7 --api github.example.com'],
    ['--since must be a duration', '--org o --hook 7 --since yesterday'],
    ['--within must be at most 20d', '--org o --hook 7 --within 99d'],
  ])('%s', async (said, words) => {
    const args = `recover github --endpoint ep_x ${words}`.split(' ');
    const { exitCode, stderr } = await hooktapeAtTerminal({ sleep }, env(), ...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
  });
});

test('a run after a kill requests only what is still missing', async () => {
  const { inbox, github, guids } = await lost(8);
  const command = [process.execPath, `${import.meta.dir}/../../main.ts`, ...argsOf(inbox, github), '--json'];
  const start = () => Bun.spawn(command, { env: { PATH: process.env['PATH'] ?? '', ...env() }, stderr: 'ignore' });
  const killed = start();
  await eventually(() => github.redelivered.length >= 6);
  killed.kill('SIGKILL');
  await killed.exited;
  const second = start();
  const result = JSON.parse(await new Response(second.stdout).text()) as Result;
  expect([await second.exited, result]).toMatchObject([0, { listed: 8, failed: [] }]);
  expect(result.recorded).toBeGreaterThanOrEqual(6);
  expect(new Set(github.redelivered)).toEqual(new Set(guids));
});
