/* What `hooktape listen` delivers, and where it goes on. */
import { describe, expect, test } from 'bun:test';
import { response, useListenHarness } from '../../testing/listen-harness.ts';
import { eventually } from '../../testing/poll.ts';

const harness = await useListenHarness();

const toTarget = (...more: string[]) => harness.listen('--to', `${harness.target().origin}/hook?to=1`, ...more);

describe('what arrives', () => {
  test('is bytes, header order and case as captured, with the target’s Host, without credentials', async () => {
    await toTarget();
    const id = await harness.deliver('{"a":1}', {
      headers: { 'content-type': 'application/json', 'X-MiXed-Case': 'kept', Authorization: 'Bearer x' },
      suffix: '/captured?x=1',
    });
    await harness.arrived(1);
    const [request] = harness.target().requests;
    expect([request?.method, request?.target, request?.body.toString()]).toEqual(['POST', '/hook?to=1', '{"a":1}']);
    const headers = new Map(request?.headers);
    expect(request?.headers.map(([name]) => name)).toContain('X-MiXed-Case');
    expect([headers.get('Host'), headers.get('x-forwarded-host'), headers.get('x-service-replay')]).toEqual([
      new URL(harness.target().origin).host,
      new URL(harness.client.url).host,
      id,
    ]);
    for (const name of ['authorization', 'x-hooktape-edited'])
      expect(request?.headers.some(([one]) => one.toLowerCase() === name)).toBe(false);
  });

  test('has the captured path and query with --path keep, and a credential with --header', async () => {
    await toTarget('--path', 'keep', '--header', 'Authorization: Basic again', '--header', 'X-Gone:');
    await harness.deliver('{}', { headers: { 'X-Gone': '1' }, suffix: '/a%20b?x=1&x=2' });
    await harness.arrived(1);
    const [request] = harness.target().requests;
    const headers = new Map(request?.headers);
    expect(request?.target).toBe('/hook/a%20b?to=1&x=1&x=2');
    expect([headers.get('Authorization'), headers.get('X-Gone'), headers.get('x-hooktape-edited')]).toEqual([
      'Basic again',
      undefined,
      '1',
    ]);
  });

  test('is in order, and only events that match --where', async () => {
    await toTarget('--where', 'body.n>1');
    for (const n of [1, 2, 3, 4]) await harness.deliver(`{"n":${n}}`);
    await harness.arrived(3);
    expect(harness.bodies()).toEqual(['{"n":2}', '{"n":3}', '{"n":4}']);
  });

  test('goes to every map that wants it, and to --to when none does', async () => {
    const to = (path: string): string => `${harness.target().origin}/${path}`;
    const maps = ['--map', `body.n>1=>${to('big')}`, '--map', `query.page:2 OR body.n:3=>${to('both')}`];
    await harness.listen(...maps, '--to', to('rest'));
    await harness.deliver('{"n":1}');
    await harness.deliver('{"n":2}', { suffix: '?page=2' });
    await harness.deliver('{"n":3}');
    await harness.arrived(5);
    const seen = (path: string) =>
      harness
        .target()
        .requests.filter(one => one.target === `/${path}`)
        .map(({ body }) => body.toString());
    expect({ big: seen('big'), both: seen('both'), rest: seen('rest') }).toEqual({
      big: ['{"n":2}', '{"n":3}'],
      both: ['{"n":2}', '{"n":3}'],
      rest: ['{"n":1}'],
    });
  });

  test('is decided by the server where only it knows: source address, tags', async () => {
    const first = await harness.deliver('{"n":1}');
    await harness.deliver('{"n":2}');
    await harness.client.ada.json(200, 'PUT', `/api/events/${first}/tags`, { tags: ['golden'] });
    const to = harness.target().origin;
    const maps = ['--map', `ip:127.0.0.0/8 tag:golden=>${to}/here`, '--map', `ip:10.0.0.0/8=>${to}/no`];
    await harness.listen('--from', 'start', ...maps, '--to', `${to}/rest`);
    await harness.arrived(2);
    expect(harness.target().requests.map(one => [one.target, one.body.toString()])).toEqual([
      ['/here', '{"n":1}'],
      ['/rest', '{"n":2}'],
    ]);
  });

  test('comes from several endpoints, each with a position of its own', async () => {
    const inbox = harness.inbox();
    const name = `other-${inbox.id.slice(-8)}`;
    const other = await harness.client.json<{ id: string; url: string }>('endpoint', 'create', name);
    const listener = await harness.listen(name, inbox.url, '--to', harness.target().origin);
    await harness.deliver('{"of":"inbox"}');
    await harness.client.server.deliver(other, '{"of":"other"}');
    await harness.arrived(2);
    expect(harness.bodies().sort()).toEqual(['{"of":"inbox"}', '{"of":"other"}']);
    await listener.stop();
    for (const { id } of [inbox, other])
      expect(await harness.client.ada.json(200, 'GET', `/api/endpoints/${id}/consumers/me`)).toMatchObject({
        behind: 0,
      });
  });
});

describe('the position', () => {
  test('begins now, is saved at the end, and the next session goes on there', async () => {
    await harness.deliver('{"n":"before"}');
    const first = await toTarget();
    expect(await harness.consumer()).toMatchObject({ behind: 0 });
    await harness.deliver('{"n":1}');
    await harness.arrived(1);
    expect(await first.stop()).toMatchObject({ exitCode: 0 });
    expect(await harness.consumer()).toMatchObject({ behind: 0 });
    await harness.deliver('{"n":2}');
    await toTarget();
    await harness.arrived(2);
    expect(harness.bodies()).toEqual(['{"n":1}', '{"n":2}']);
  });

  test.each([
    ['now', []],
    ['start', ['{"n":1}', '{"n":2}']],
    ['1h', ['{"n":1}', '{"n":2}']],
    ['1ms', []],
  ])('can be anywhere: --from %s', async (from, before) => {
    for (const n of [1, 2]) await harness.deliver(`{"n":${n}}`);
    await (await toTarget('--from', 'now')).stop();
    await Bun.sleep(2);
    await toTarget('--from', from);
    await harness.deliver('{"n":3}');
    await harness.arrived(before.length + 1);
    expect(harness.bodies()).toEqual([...before, '{"n":3}']);
  });

  test('is not moved past an event that the target refuses', async () => {
    harness.answerWith(() => response('500 No'));
    const listener = await toTarget('--retry', '0');
    await harness.deliver('{"n":1}');
    await harness.deliver('{"n":2}');
    await eventually(() => listener.said.stderr.includes('Holding'));
    await listener.stop();
    expect([harness.bodies(), await harness.consumer()]).toMatchObject([['{"n":1}'], { behind: 2 }]);
    harness.answerWith(() => response('204 Fine'));
    const next = await toTarget();
    await harness.arrived(3);
    await next.stop();
    expect([harness.bodies().slice(1), await harness.consumer()]).toMatchObject([
      ['{"n":1}', '{"n":2}'],
      { behind: 0 },
    ]);
  });

  test('of another listener of the same name is explained', async () => {
    const listener = await toTarget();
    await harness.deliver('{"n":1}');
    await harness.arrived(1);
    const path = `/api/endpoints/${harness.inbox().id}/consumers/me`;
    await harness.client.ada.json(200, 'PUT', path, { cursor: 'start', rewind: true });
    const { exitCode, stderr } = await listener.stop();
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('another listener named me uses the same position'),
    ]);
    expect(await harness.consumer()).toMatchObject({ behind: 0 });
  });
});

test('without a target it prints the events, escaped', async () => {
  const listener = await harness.listen();
  const id = await harness.deliver('{"title":"\u001b]0;owned\u0007"}', { headers: { 'x-github-event': 'pu\u009bsh' } });
  await eventually(() => listener.said.stdout.includes(id));
  expect(listener.said.stdout).not.toMatch(/[^\P{Cc}\n]/u);
  await listener.stop();
  expect(await harness.consumer()).toMatchObject({ behind: 0 });
});

test('answers stand among the replays, and a replay for the listener arrives', async () => {
  harness.answerWith(() => response('201 Created', 'thanks'));
  await toTarget();
  const id = await harness.deliver('{"n":1}');
  const { replays } = await eventually(async () => {
    const event = await harness.client.json<{ replays: { via: string }[] }>('show', id);
    return event.replays.length > 0 ? event : undefined;
  });
  expect(replays).toMatchObject([{ via: 'listen', status: 201, response: { body: 'thanks' } }]);
  const result = await harness.client.ada.json(200, 'POST', `/api/events/${id}/replay`, { listener: 'me' });
  expect(result).toMatchObject({ ok: true, status: 201, responsePreview: 'thanks' });
  expect(harness.target().requests).toHaveLength(2);
});
