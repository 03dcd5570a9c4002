/* The commands of a user to a running session. */
import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../core/clock.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { response, useListenHarness } from '../../testing/listen-harness.ts';
import { eventually } from '../../testing/poll.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { connect } from '../client/api.ts';
import { findEndpoint } from '../client/find.ts';
import type { Io } from '../io.ts';
import type { ListenEvent } from './model.ts';
import { defaultNames, type ListenOptions } from './options.ts';
import { createSession } from './session.ts';
import { findStart } from './start-position.ts';
import { createUrlTarget } from './target.ts';

const harness = await useListenHarness();

async function open(given: Partial<ListenOptions> = {}) {
  const io = {
    env: harness.client.env,
    version: 'test',
    stderr: () => {},
    clock: systemClock,
    sleep: (ms: number) => Bun.sleep(ms),
  } as unknown as Io;
  const options: ListenOptions = {
    endpoints: [],
    maps: [],
    rest: undefined,
    where: undefined,
    name: 'me',
    formerName: undefined,
    from: 'last',
    maxBacklog: 100,
    policy: { retries: 0, onFail: 'hold', concurrency: 1 },
    signing: undefined,
    edits: { set: {}, unset: [], body: undefined, headers: [] },
    keepsPath: false,
    timeoutMs: 1000,
    isRemoteAllowed: false,
    output: 'lines',
    ...given,
  };
  const api = connect(io, { envFile: undefined });
  const endpoint: Endpoint = await findEndpoint(api, harness.inbox().id);
  const start = { ...(await findStart(io, api, endpoint, options)), endpoint };
  const target = await createUrlTarget(io, harness.target().origin, {
    ...options,
    option: '--to',
    headers: options.edits.headers,
  });
  const { session, run } = createSession({ io, api, starts: [start], lanes: [{ target, map: undefined }], options });
  const events: ListenEvent[] = [];
  session.subscribe(event => events.push(event));
  const ended = run();
  const seen = (kind: ListenEvent['kind'], count = 1) =>
    eventually(() => events.filter(one => one.kind === kind).length >= count);
  return { session, events, ended, seen, kinds: () => events.map(({ kind }) => kind) };
}

describe('a session', () => {
  test('sends an event again, which settles one that is held', async () => {
    harness.answerWith((_, n) => response(n === 0 ? '500 No' : '200 OK'));
    const { session, seen, kinds } = await open();
    const id = await harness.deliver('{"n":1}');
    await harness.deliver('{"n":2}');
    await seen('failed');
    await eventually(() => session.behind() === 2);
    expect(await session.again(id)).toMatchObject([{ status: 200, isOk: true }]);
    await seen('settled', 2);
    await session.stop();
    expect(harness.bodies()).toEqual(['{"n":1}', '{"n":1}', '{"n":2}']);
    expect(kinds().filter(kind => kind === 'answered')).toHaveLength(2);
    expect([session.behind(), await harness.consumer()]).toMatchObject([0, { behind: 0 }]);
  });

  test('sends an edited event, which settles nothing', async () => {
    harness.answerWith((_, n) => response(n === 0 ? '500 No' : '200 OK'));
    const { session, seen } = await open();
    const id = await harness.deliver('{"n":1,"m":2}');
    await seen('failed');
    await session.sendEdited(id, { set: { n: 7 } });
    const edited = harness.target().requests[1];
    expect([edited?.body.toString(), new Map(edited?.headers).get('x-hooktape-edited')]).toEqual([
      '{"n":7,"m":2}',
      '1',
    ]);
    expect(await thrownBy(session.sendEdited(id, { set: { missing: 7 } }))).toThrow('nothing at the path');
    await session.stop();
    expect(await harness.consumer()).toMatchObject({ behind: 1 });
  });

  test('says that the signature of an edited event no longer fits', async () => {
    harness.answerWith(() => response('400 No'));
    const { session, events, seen } = await open();
    const headers = { 'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=00` };
    const id = await harness.deliver('{"id":"evt_1","object":"event","type":"invoice.paid"}', { headers });
    await seen('failed');
    await session.sendEdited(id, { set: { type: 'invoice.voided' } });
    await session.stop();
    const hints = events.flatMap(event => (event.kind === 'failed' ? [[event.cause, event.hint]] : []));
    expect(hints).toEqual([
      ['feed', null],
      ['edited', 'the signature no longer fits: try --resign --secret-env N'],
    ]);
  });

  test('skips, pins, pauses and goes on', async () => {
    harness.answerWith((_, n) => response(n === 0 ? '500 No' : '200 OK'));
    const { session, seen } = await open();
    session.pause();
    const id = await harness.deliver('{"n":1}');
    await seen('received');
    expect([session.isPaused(), harness.target().requests]).toEqual([true, []]);
    session.resume();
    await seen('failed');
    await session.pin(id);
    expect([session.skip(id), session.skip(id)]).toEqual([true, false]);
    await seen('settled');
    await session.stop();
    expect(await harness.client.json('show', id)).toMatchObject({ pin: { name: null } });
    expect(await harness.consumer()).toMatchObject({ behind: 0 });
  });

  test('knows where an event is, and the command that sends it', async () => {
    const signing = { secret: 's', variable: 'SECRET', isTampered: false, hasNewId: false };
    const edits = { set: {}, unset: [], body: undefined, headers: [['X-Key', 'a b']] as [string, string][] };
    const { session } = await open({ signing, edits });
    const id = await harness.deliver('{"n":1}');
    await harness.arrived(1);
    expect(session.openUrl(id)).toBe(`${harness.client.url}/app/endpoints/${harness.inbox().id}/events/${id}`);
    expect(session.command(id)).toBe(
      `hooktape send ${id} --to ${harness.target().origin} --resign --secret-env SECRET --header 'X-Key: …'`,
    );
    await session.stop();
    expect(await thrownBy(session.again('evt_none'))).toThrow('has been deleted');
  });

  test('says each number of events behind once', async () => {
    const { session, events, seen } = await open();
    for (const n of [1, 2, 3]) await harness.deliver(`{"n":${n}}`);
    await seen('settled', 3);
    await session.stop();
    const behind = events.flatMap(event => (event.kind === 'behind' ? [event.behind] : []));
    expect(behind.every((count, at) => count !== behind[at - 1])).toBe(true);
    expect([behind[0], behind.at(-1)]).toEqual([0, 0]);
  });
});

test('the default name is the host, the folder and a hash of its path, as a consumer can be called', () => {
  expect(defaultNames('Ada-Laptop.local', '/home/ada/My Shop (new)')).toEqual({
    name: 'ada-laptop-my-shop-new-0f1b1fc3',
    formerName: 'ada-laptop-my-shop-new',
  });
  expect(defaultNames('', '/').name).toMatch(/^listen-[0-9a-f]{8}$/);
  expect(defaultNames('h'.repeat(100), `/${'f'.repeat(100)}`).name).toMatch(/^h{30}-f{24}-[0-9a-f]{8}$/);
  expect(defaultNames('пример', '/日本').name).toMatch(/^listen-[0-9a-f]{8}$/);
});

test('folders of the same name, or without a letter that a name can have, have names of their own', () => {
  const paths = ['/ada/wt1/shop', '/ada/wt2/shop', '/ada/日本語', '/ada/中文', '/'];
  expect(new Set(paths.map(path => defaultNames('vm', path).name)).size).toBe(paths.length);
});
