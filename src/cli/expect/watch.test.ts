/* Waiting through failures: servers that restart, hang, shut down or limit; clocks that jump; filters whose truth changes. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { FeedPage } from '../../features/feed/model.ts';
import { holdClock } from '../../testing/clock.ts';
import { eventually } from '../../testing/poll.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { type Api, createApi, RefusedError } from '../client/api.ts';
import { UnreachableError } from '../io.ts';
import type { Expectation } from './expectation.ts';
import { watch } from './watch.ts';

const expected = (given: Partial<Expectation> = {}): Expectation => ({
  kind: 'exactly',
  count: 1,
  per: 'event',
  where: '',
  withinMs: 30_000,
  settleMs: 2000,
  ...given,
});

type Asked = { after: string; wait: number };
/** `inMs`: how long it takes. */
type Answer = (Partial<FeedPage> & { inMs?: number }) | (Error & { inMs?: number });

/** A feed with answers that the test sets, and a clock that advances only when the feed or the command waits. */
function playFeed(answer: (asked: Asked, at: number) => Answer | 'in time') {
  const clock = holdClock();
  const began = clock.monotonic();
  const calls: (Asked & { at: number })[] = [];
  const said: string[] = [];
  const call: Api['call'] = async <T>(
    _method: string,
    _path: string,
    { query = {} }: Parameters<Api['call']>[2] = {},
  ) => {
    const asked = { after: String(query['after']), wait: Number(query['wait']) };
    const at = clock.monotonic() - began;
    calls.push({ ...asked, at });
    const given = answer(asked, at);
    if (given === 'in time') clock.advance(asked.wait * 1000);
    else clock.advance(given.inMs ?? 0);
    if (given instanceof Error) throw given;
    const page = { events: [], cursor: asked.after, more: false, truncated: false };
    return (given === 'in time' ? page : { ...page, ...given }) as T;
  };
  const io = {
    clock,
    sleep: async (ms: number) => clock.advance(ms),
    stderr: (text: string) => void said.push(text),
  };
  return {
    calls,
    said,
    elapsed: () => clock.monotonic() - began,
    watch: (expectation: Expectation, after = 'mark') =>
      watch({ io, api: { call }, endpointId: 'ep_1', after, expectation }),
  };
}

const event = (id: string, key = id) => ({ id, delivery: { key } }) as FeedPage['events'][number];

describe('waiting', () => {
  test('for nothing takes as long as --within, in as few requests as the feed allows', async () => {
    const feed = playFeed(() => 'in time');
    expect(await feed.watch(expected())).toMatchObject({ outcome: 'not met', events: [] });
    expect(feed.calls.map(({ wait }) => wait)).toEqual([25, 5]);
    expect(feed.elapsed()).toBe(30_000);
    const none = playFeed(() => 'in time');
    expect(await none.watch(expected({ kind: 'none', count: 0, withinMs: 3000 }))).toMatchObject({ outcome: 'met' });
    expect([none.calls.length, none.elapsed()]).toEqual([1, 3000]);
  });

  test('goes on after the last arrival until --settle is over, also beyond --within', async () => {
    const feed = playFeed(({ after }, at) => {
      if (after === 'mark' && at === 0) return { events: [event('1')], cursor: 'one' };
      return 'in time';
    });
    expect(await feed.watch(expected({ settleMs: 60_000, withinMs: 5000 }))).toMatchObject({ outcome: 'met' });
    expect(feed.elapsed()).toBe(60_000);
    expect(feed.calls.map(({ after, wait }) => [after, wait])).toEqual([
      ['mark', 5],
      ['one', 25],
      ['one', 25],
      ['one', 10],
    ]);
  });

  test('an attempt of the same delivery begins --settle anew, but not after --within', async () => {
    let attempts = 0;
    const feed = playFeed(({ wait }, at) => {
      const inMs = attempts * 1500 - at;
      if (inMs > wait * 1000) return 'in time';
      return { events: [event(`${++attempts}`, 'same')], cursor: `${attempts}`, inMs };
    });
    const watched = await feed.watch(expected({ per: 'delivery', withinMs: 4000, settleMs: 2000 }));
    expect(watched.outcome).toBe('met');
    expect(feed.elapsed()).toBe(6000);
  });

  test('an event that is one too many ends it at once, and pages are read to the end first', async () => {
    const feed = playFeed(({ after }) =>
      after === 'mark' ? { events: [event('1')], cursor: 'a', more: true } : { events: [event('2')], cursor: 'b' },
    );
    expect(await feed.watch(expected())).toMatchObject({ outcome: 'too many', cursor: 'b' });
    expect(feed.calls.map(({ after }) => after)).toEqual(['mark', 'a']);
  });

  test('`now` is a position before anything is waited for', async () => {
    const feed = playFeed(({ after }) =>
      after === 'now' ? { cursor: 'here' } : { events: [event('1')], cursor: 'x' },
    );
    expect(await feed.watch(expected({ kind: 'at least' }), 'now')).toMatchObject({ outcome: 'met', origin: 'here' });
    expect(feed.calls.map(({ after, wait }) => [after, wait])).toEqual([
      ['now', 0],
      ['here', 25],
    ]);
  });
});

describe('terms that may become true later', () => {
  test('is looked at again from the mark on, every five seconds and at the end', async () => {
    let isRegistered = false;
    const feed = playFeed(({ after, wait }, at) => {
      isRegistered ||= at >= 12_000;
      if (after === 'mark' && wait === 0 && isRegistered) return { events: [event('1')], cursor: 'later' };
      return wait === 0 ? { cursor: 'later' } : 'in time';
    });
    const watched = await feed.watch(expected({ kind: 'at least', where: 'verdict:valid' }));
    expect([watched.outcome, feed.elapsed()]).toEqual(['met', 15_000]);
    expect(feed.calls.map(({ after, wait, at }) => [after, wait, at / 1000])).toEqual([
      ['mark', 5, 0],
      ['mark', 0, 5],
      ['later', 5, 5],
      ['mark', 0, 10],
      ['later', 5, 10],
      ['mark', 0, 15],
    ]);
  });
});

describe('a server that is away', () => {
  const gone = () => new UnreachableError('http://x cannot be reached');

  test('at first ends it at once; later it is asked again where it was', async () => {
    expect(await thrownBy(playFeed(gone).watch(expected()))).toThrow(UnreachableError);
    const killed = playFeed((_, at) => (at === 0 ? Object.assign(gone(), { inMs: 1500 }) : 'in time'));
    expect(await killed.watch(expected({ withinMs: 3000 }))).toMatchObject({ outcome: 'not met' });
    const shuttingDown = playFeed((_, at) =>
      at < 300 ? new RefusedError(503, 'shutting down') : at < 900 ? gone() : 'in time',
    );
    expect(await shuttingDown.watch(expected({ withinMs: 2000 }))).toMatchObject({ outcome: 'not met' });
    const feed = playFeed(({ after }, at) => {
      if (after === 'mark') return { events: [event('1')], cursor: 'one' };
      if (at < 1000) return at < 300 ? gone() : new RefusedError(503, 'shutting down');
      return 'in time';
    });
    expect(await feed.watch(expected({ withinMs: 10_000 }))).toMatchObject({ outcome: 'met' });
    expect(new Set(feed.calls.slice(1).map(({ after }) => after))).toEqual(new Set(['one']));
    expect(feed.said).toEqual(['http://x cannot be reached; retrying.\n']);
  });

  test('at the end has ten seconds to come back, and then it is unreachable', async () => {
    const feed = playFeed(({ after }) => (after === 'mark' ? { cursor: 'one', more: true } : gone()));
    expect(await thrownBy(feed.watch(expected({ withinMs: 2000 })))).toThrow(UnreachableError);
    expect(feed.elapsed()).toBeGreaterThan(12_000);
    const back = playFeed(({ after }, at) =>
      after === 'mark' ? { cursor: 'one', more: true } : at < 11_000 ? gone() : { events: [event('1')], cursor: 'two' },
    );
    expect(await back.watch(expected({ kind: 'at least', withinMs: 2000 }))).toMatchObject({ outcome: 'met' });
  });

  test('a refusal is no outage', async () => {
    const feed = playFeed((_, at) =>
      at === 0 ? { cursor: 'one', more: true, inMs: 1 } : new RefusedError(404, 'endpoint not found'),
    );
    expect(await thrownBy(feed.watch(expected()))).toThrow(expect.objectContaining({ status: 404 }));
  });

  test('one that answers early without events is not asked in a tight loop', async () => {
    const feed = playFeed(() => ({}));
    expect(await feed.watch(expected({ withinMs: 5000 }))).toMatchObject({ outcome: 'not met' });
    expect(feed.calls.length).toBeLessThanOrEqual(22);
  });
});

test('the server is replaced by another one on the same data while a command waits, and its wall clock jumps', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  const env = { HOOKTAPE_SECRET: 'the secret of this test, long enough' };
  let server = await openTestServer({ directory, env });
  try {
    const ada = await server.createAccount();
    const endpoint = await ada.createEndpoint();
    const url = await server.listen();
    let wallMs = 0;
    const clock: Clock = { now: () => wallMs, monotonic: systemClock.monotonic };
    const said: string[] = [];
    const io = { clock, sleep: Bun.sleep, stderr: (text: string) => void said.push(text) };
    const api = createApi({ ...io, env: {}, version: 'test' } as never, {
      url,
      key: ada.key,
      isKeyFromEnvironment: true,
    });
    const { cursor } = await api.call<FeedPage>('GET', `/api/endpoints/${endpoint.id}/feed`, {
      query: { after: 'now' },
    });
    const watching = watch({
      io,
      api,
      endpointId: endpoint.id,
      after: cursor,
      expectation: expected({ count: 2, withinMs: 30_000, settleMs: 100 }),
    });
    await eventually(() => server.services.notifications.openTails() === 1);
    const ids = [await server.deliver(endpoint)];
    wallMs = 1e13;
    await server.close();
    server = await openTestServer({ directory, env, port: Number(new URL(url).port) });
    await server.listen();
    ids.push(await server.deliver(endpoint));
    wallMs = 0;
    const { outcome, events } = await watching;
    expect([outcome, events.map(({ id }) => id)]).toEqual(['met', ids]);
  } finally {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
