/* `hooktape listen` against a real server: what arrives, in which order, what is remembered, and how it ends. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type ClientHarness, openClientHarness } from '../../testing/client-commands.ts';
import { hooktape, startListener } from '../../testing/command.ts';
import { eventually } from '../../testing/poll.ts';
import { type RecordedRequest, recordRequests } from '../../testing/request-recorder.ts';

type Inbox = { id: string; url: string };
type Consumer = { name: string; cursor: string; behind: number };

let client: ClientHarness;
beforeAll(async () => {
  client = await openClientHarness();
});
afterAll(() => client.close());

const response = (status: string, text = '', more = '') =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${text.length}\r\n${more}Connection: close\r\n\r\n${text}`;

let answer: (request: RecordedRequest, n: number) => string | undefined;
let target: Awaited<ReturnType<typeof recordRequests>>;
let inbox: Inbox;
let number = 0;
const listeners: ReturnType<typeof startListener>[] = [];
beforeEach(async () => {
  answer = () => response('200 OK');
  target = await recordRequests((request, n) => answer(request, n));
  inbox = await client.json<Inbox>('endpoint', 'create', `inbox-${++number}`);
});
afterEach(async () => {
  await Promise.all(listeners.splice(0).map(one => one.stop()));
  target.close();
});

const deliver = (body: string, more: RequestInit & { suffix?: string } = {}) =>
  client.server.deliver(inbox, body, more);
const start = (...args: string[]) => {
  const listener = startListener(client.env, [inbox.id, '--as', 'me', ...args]);
  listeners.push(listener);
  return listener;
};
/** Once it is connected. */
async function listen(...args: string[]) {
  const listener = start(...args);
  await eventually(() => listener.said.stderr.includes('Connected'));
  return listener;
}
const toTarget = (...more: string[]) => listen('--to', `${target.origin}/hook?to=1`, ...more);
const bodies = (): string[] => target.requests.map(({ body }) => body.toString());
const arrived = (count: number) => eventually(() => target.requests.length >= count);
const consumer = async (): Promise<Consumer> =>
  client.ada.json<Consumer>(200, 'GET', `/api/endpoints/${inbox.id}/consumers/me`);
const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));

describe('what arrives', () => {
  test('is bytes, header order and case as captured, with the target’s Host, without credentials', async () => {
    await toTarget();
    const id = await deliver('{"a":1}', {
      headers: { 'content-type': 'application/json', 'X-MiXed-Case': 'kept', Authorization: 'Bearer x' },
      suffix: '/captured?x=1',
    });
    await arrived(1);
    const [request] = target.requests;
    expect([request?.method, request?.target, request?.body.toString()]).toEqual(['POST', '/hook?to=1', '{"a":1}']);
    const headers = new Map(request?.headers);
    expect(request?.headers.map(([name]) => name)).toContain('X-MiXed-Case');
    expect([headers.get('Host'), headers.get('x-forwarded-host'), headers.get('x-service-replay')]).toEqual([
      new URL(target.origin).host,
      new URL(client.url).host,
      id,
    ]);
    for (const name of ['authorization', 'x-hooktape-edited'])
      expect(request?.headers.some(([one]) => one.toLowerCase() === name)).toBe(false);
  });

  test('has the captured path and query with --path keep, and a credential with --header', async () => {
    await toTarget('--path', 'keep', '--header', 'Authorization: Basic again', '--header', 'X-Gone:');
    await deliver('{}', { headers: { 'X-Gone': '1' }, suffix: '/a%20b?x=1&x=2' });
    await arrived(1);
    const [request] = target.requests;
    const headers = new Map(request?.headers);
    expect(request?.target).toBe('/hook/a%20b?to=1&x=1&x=2');
    expect([headers.get('Authorization'), headers.get('X-Gone'), headers.get('x-hooktape-edited')]).toEqual([
      'Basic again',
      undefined,
      '1',
    ]);
  });

  test('is in order, and only what --where wants', async () => {
    await toTarget('--where', 'body.n>1');
    for (const n of [1, 2, 3, 4]) await deliver(`{"n":${n}}`);
    await arrived(3);
    expect(bodies()).toEqual(['{"n":2}', '{"n":3}', '{"n":4}']);
  });

  test('goes to every map that wants it, and to --to when none does', async () => {
    const to = (path: string): string => `${target.origin}/${path}`;
    const maps = ['--map', `body.n>1=>${to('big')}`, '--map', `query.page:2 OR body.n:3=>${to('both')}`];
    await listen(...maps, '--to', to('rest'));
    await deliver('{"n":1}');
    await deliver('{"n":2}', { suffix: '?page=2' });
    await deliver('{"n":3}');
    await arrived(5);
    const seen = (path: string) =>
      target.requests.filter(one => one.target === `/${path}`).map(({ body }) => body.toString());
    expect({ big: seen('big'), both: seen('both'), rest: seen('rest') }).toEqual({
      big: ['{"n":2}', '{"n":3}'],
      both: ['{"n":2}', '{"n":3}'],
      rest: ['{"n":1}'],
    });
  });

  test('is decided by the server where only it knows: source address, tags', async () => {
    const first = await deliver('{"n":1}');
    await deliver('{"n":2}');
    await client.ada.json(200, 'PUT', `/api/events/${first}/tags`, { tags: ['golden'] });
    const to = target.origin;
    await listen(
      '--from',
      'start',
      '--map',
      `ip:127.0.0.0/8 tag:golden=>${to}/here`,
      '--map',
      `ip:10.0.0.0/8=>${to}/no`,
    );
    const { said } = listeners.at(-1) as (typeof listeners)[number];
    await eventually(() => said.stderr.endsWith('0 behind\n'));
    expect(target.requests.map(one => [one.target, one.body.toString()])).toEqual([['/here', '{"n":1}']]);
  });

  test('comes from several endpoints, each with a position of its own', async () => {
    const other = await client.json<Inbox>('endpoint', 'create', `other-${number}`);
    const listener = startListener(client.env, [`other-${number}`, inbox.url, '--as', 'me', '--to', target.origin]);
    listeners.push(listener);
    await eventually(() => listener.said.stderr.includes('Connected'));
    await deliver('{"of":"inbox"}');
    await client.server.deliver(other, '{"of":"other"}');
    await arrived(2);
    expect(bodies().sort()).toEqual(['{"of":"inbox"}', '{"of":"other"}']);
    await listener.stop();
    for (const { id } of [inbox, other])
      expect(await client.ada.json(200, 'GET', `/api/endpoints/${id}/consumers/me`)).toMatchObject({ behind: 0 });
  });
});

describe('the position', () => {
  test('begins now, is saved at the end, and the next session goes on there', async () => {
    await deliver('{"n":"before"}');
    const first = await toTarget();
    expect(await consumer()).toMatchObject({ behind: 0 });
    await deliver('{"n":1}');
    await arrived(1);
    expect(await first.stop()).toMatchObject({ exitCode: 0 });
    expect(await consumer()).toMatchObject({ behind: 0 });
    await deliver('{"n":2}');
    await toTarget();
    await arrived(2);
    expect(bodies()).toEqual(['{"n":1}', '{"n":2}']);
  });

  test('can be anywhere: --from start, now, a duration', async () => {
    for (const n of [1, 2]) await deliver(`{"n":${n}}`);
    const seen: Record<string, number> = {};
    for (const from of ['now', 'start', '1h', '1ms']) {
      const listener = await toTarget('--from', from);
      await eventually(() => /(^|\n)0 behind\n$/.test(listener.said.stderr));
      await listener.stop();
      seen[from] = target.requests.splice(0).length;
    }
    expect(seen).toEqual({ now: 0, start: 2, '1h': 2, '1ms': 0 });
  });

  test('is not moved past an event that the target refuses', async () => {
    answer = () => response('500 No');
    const listener = await toTarget('--retry', '0');
    await deliver('{"n":1}');
    await deliver('{"n":2}');
    await eventually(() => listener.said.stderr.includes('Holding'));
    await listener.stop();
    expect([bodies(), await consumer()]).toMatchObject([['{"n":1}'], { behind: 2 }]);
    answer = () => response('204 Fine');
    const next = await toTarget();
    await arrived(3);
    await next.stop();
    expect([bodies().slice(1), await consumer()]).toMatchObject([['{"n":1}', '{"n":2}'], { behind: 0 }]);
  });

  test('of another listener of the same name is explained', async () => {
    const listener = await toTarget();
    await deliver('{"n":1}');
    await arrived(1);
    const path = `/api/endpoints/${inbox.id}/consumers/me`;
    await client.ada.json(200, 'PUT', path, { cursor: 'start', rewind: true });
    const { exitCode, stderr } = await listener.stop();
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('another listener called me has moved the position'),
    ]);
    expect(await consumer()).toMatchObject({ behind: 0 });
  });
});

describe('a target that fails', () => {
  test('is tried again, and then held; other maps go on', async () => {
    answer = ({ target: path }) => response(path === '/bad' ? '503 No' : '200 OK');
    const to = target.origin;
    const listener = await listen('--map', `has:body.n=>${to}/bad`, '--map', `has:body.n=>${to}/good`, '--retry', '1');
    for (const n of [1, 2]) await deliver(`{"n":${n}}`);
    await eventually(() => listener.said.stderr.includes('Holding'));
    await arrived(4);
    const count = (path: string) => target.requests.filter(one => one.target === path).length;
    expect([count('/bad'), count('/good')]).toEqual([2, 2]);
    expect(listener.said.stderr).toContain('Trying again in 1 second.');
  });

  test('with --on-fail skip loses the event, and says so', async () => {
    answer = ({ body }) => response(body.includes('1') ? '500 No' : '200 OK');
    const listener = start('--to', target.origin, '--retry', '0', '--on-fail', 'skip', '--output', 'json');
    await eventually(() => listener.said.stdout.includes('connected'));
    const [one, two] = [await deliver('{"n":1}'), await deliver('{"n":2}')];
    await arrived(2);
    await eventually(() => jsonLines(listener.said.stdout).filter(({ event }) => event === 'settled').length === 2);
    await listener.stop();
    const lines = jsonLines(listener.said.stdout).filter(({ id }) => id !== null);
    const about = (event: string, id: string, status: number | null, attempt: number | null) => ({
      event,
      id,
      type: null,
      target: target.origin,
      status,
      ms: status === null ? null : expect.any(Number),
      attempt,
    });
    expect(lines.filter(({ id }) => id === one)).toEqual([
      about('received', one, null, null),
      about('failed', one, 500, 1),
      about('skipped', one, null, 1),
      about('settled', one, 500, 1),
    ]);
    expect(lines.filter(({ id }) => id === two)).toEqual([
      about('received', two, null, null),
      about('answered', two, 200, 1),
      about('settled', two, 200, 1),
    ]);
    expect(await consumer()).toMatchObject({ behind: 0 });
  });

  test('with --on-fail stop ends it with 1, before the event', async () => {
    answer = () => response('302 Found', '', 'Location: /elsewhere\r\n');
    const listener = await toTarget('--retry', '0', '--on-fail', 'stop');
    await deliver('{"n":1}');
    const { exitCode, stderr } = await listener.ended;
    expect([exitCode, target.requests.length]).toEqual([1, 1]);
    expect(stderr).toContain('answered 302; stopped by --on-fail stop');
    expect(await consumer()).toMatchObject({ behind: 1 });
  });

  test('that takes too long is given up after --timeout; a second listener is not needed to go on', async () => {
    answer = ({ body }, n) => (n === 0 ? 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n' : body && response('200 OK'));
    await toTarget('--timeout', '200ms', '--retry', '2');
    await deliver('{"n":1}');
    await arrived(1);
  });
});

describe('what it asks before it begins', () => {
  test('more events than --max-backlog: exit code 5 without a terminal, and no consumer', async () => {
    for (const n of [1, 2, 3]) await deliver(`{"n":${n}}`);
    const from = ['--to', target.origin, '--from', 'start'];
    const refused = await start(...from, '--max-backlog', '2').ended;
    expect([refused.exitCode, refused.stdout, target.requests]).toEqual([5, '', []]);
    expect(refused.stderr).toContain('--max-backlog');
    expect((await client.ada.call('GET', `/api/endpoints/${inbox.id}/consumers/me`)).status).toBe(404);
    await listen(...from, '--max-backlog', '3');
    await arrived(3);
  });

  test('counts what --where wants, from the position on', async () => {
    for (const n of [1, 2, 3]) await deliver(`{"n":${n}}`);
    await listen('--to', target.origin, '--from', 'start', '--where', 'body.n:2', '--max-backlog', '1');
    await arrived(1);
  });

  test.each([
    ['y', 3],
    ['n', 0],
  ])('at a terminal it asks: %s', async (said, count) => {
    for (const n of [1, 2, 3]) await deliver(`{"n":${n}}`);
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return said;
    };
    const args = [inbox.id, '--as', 'me', '--to', target.origin, '--from', 'start', '--max-backlog', '2'];
    const listener = startListener(client.env, args, { ask });
    listeners.push(listener);
    await eventually(() => /(^|\n)0 behind\n$/.test(listener.said.stderr));
    expect([questions.length, target.requests.length]).toEqual([1, count]);
    expect((await consumer()).behind).toBeLessThanOrEqual(3);
  });

  test('quitting there delivers nothing', async () => {
    for (const n of [1, 2]) await deliver(`{"n":${n}}`);
    const args = [inbox.id, '--as', 'me', '--to', target.origin, '--from', 'start', '--max-backlog', '1'];
    const { exitCode } = await startListener(client.env, args, { ask: async () => '' }).ended;
    expect([exitCode, target.requests]).toEqual([5, []]);
  });
});

test('without a target it prints the events, escaped', async () => {
  const listener = await listen();
  const id = await deliver('{"title":"\u001b]0;owned\u0007"}', { headers: { 'x-github-event': 'pu\u009bsh' } });
  await eventually(() => listener.said.stdout.includes(id));
  expect(listener.said.stdout).not.toMatch(/[^\P{Cc}\n]/u);
  await listener.stop();
  expect(await consumer()).toMatchObject({ behind: 0 });
});

test('answers stand among the replays, and a replay for the listener arrives', async () => {
  answer = () => response('201 Created', 'thanks');
  await toTarget();
  const id = await deliver('{"n":1}');
  const { replays } = await eventually(async () => {
    const event = await client.json<{ replays: { via: string }[] }>('show', id);
    return event.replays.length > 0 ? event : undefined;
  });
  expect(replays).toMatchObject([{ via: 'listen', status: 201, response: { body: 'thanks' } }]);
  const result = await client.ada.json(200, 'POST', `/api/events/${id}/replay`, { listener: 'me' });
  expect(result).toMatchObject({ ok: true, status: 201, responsePreview: 'thanks' });
  expect(target.requests).toHaveLength(2);
});

test.each([
  ['ENDPOINT… is missing', []],
  ['--map takes', ['x', '--map', 'type:a']],
  ['--map: ', ['x', '--map', 'typ:a=>http://localhost:1']],
  ['--where: ', ['x', '--where', 'typ:a']],
  ['is neither this machine', ['x', '--to', 'http://192.0.2.1/']],
  ['is neither this machine', ['x', '--map', 'type:a=>https://8.8.8.8/']],
  ['--from takes', ['x', '--from', 'yesterday']],
  ['--as takes', ['x', '--as', 'Me!']],
  ['--on-fail must be one of hold, skip, stop', ['x', '--on-fail', 'wait']],
  ['--retry must be', ['x', '--retry', '-1']],
  ['--concurrency must be', ['x', '--concurrency', '0']],
  ['--timeout takes', ['x', '--timeout', '2d']],
  ['--path must be one of keep, drop', ['x', '--path', 'both']],
  ['signing needs --secret-env', ['x', '--resign']],
  ['NOT_SET is not set', ['x', '--resign', '--secret-env', 'NOT_SET']],
  ['--exec CMD ARG… is missing', ['x', '--exec']],
  ['--to and --exec', ['x', '--to', 'localhost:1', '--exec', 'true']],
  ['--json and --output lines', ['x', '--json', '--output', 'lines']],
  ['--output tui needs a terminal', ['x', '--output', 'tui']],
  ['--header takes', ['x', '--header', 'none']],
])('"%s" is wrong usage', async (said, args) => {
  const { exitCode, stdout, stderr } = await hooktape(client.env, 'listen', ...args);
  expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(said)]);
});

test('an endpoint that is not there is exit code 1, a server that is not there 4', async () => {
  expect((await hooktape(client.env, 'listen', 'nobody')).exitCode).toBe(1);
  const env = { ...client.env, HOOKTAPE_URL: 'http://127.0.0.1:1' };
  expect((await hooktape(env, 'listen', 'nobody')).exitCode).toBe(4);
});
