/* Pruning, and that an apply does all of a file or nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { openDeclaring, summary } from '../../testing/declared.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import type { Endpoint } from '../endpoints/model.ts';
import { createDeclaredStore, type NewEndpoint } from './store.ts';

type Declaring = Awaited<ReturnType<typeof openDeclaring>>;

let declaring: Declaring;
let server: Declaring['server'];
let ada: Declaring['ada'];
let bob: Declaring['bob'];
/** Unique in this file, because the tests share one server. */
let run = 0;
beforeAll(async () => {
  declaring = await openDeclaring();
  ({ server, ada, bob } = declaring);
});
beforeEach(() => {
  run++;
});
afterAll(() => server.close());

const apply: Declaring['apply'] = (...given) => declaring.apply(...given);
const send: Declaring['send'] = (...given) => declaring.send(...given);
const declare = (fields: object = {}) => declaring.declareAs(`shop ${run}`, fields);
const find = (name = `shop ${run}`) => declaring.find(name);

describe('pruning', () => {
  test('removes endpoints created from a file, in every account; with pinned events nothing is done', async () => {
    const all = [
      { name: `a ${run}`, account: ada.email },
      { name: `b ${run}`, account: bob.email },
    ];
    await apply(all, { prune: true, force: true });
    const { url } = await find(`a ${run}`);
    const event = await server.deliver({ url });
    await ada.json(200, 'PUT', `/api/events/${event}/pin`, {});
    expect(summary(await apply([], { prune: true }))).toBe(`pinned: a ${run} (1 pinned event)`);
    expect(await send(new URL(url).pathname)).toBe(200);
    expect(summary(await apply(all, { prune: true }))).toBe('0+ ~ 0- 2=');
    expect(summary(await apply([], { prune: true, force: true, dryRun: true }))).toBe('0+ ~ 2- 0=');
    expect(summary(await apply([], { prune: true, force: true }))).toBe('0+ ~ 2- 0=');
    expect(await send(new URL(url).pathname)).toBe(404);
    await ada.json(404, 'GET', `/api/events/${event}`);
    expect(summary(await apply([], { prune: true }))).toBe('0+ ~ 0- 0=');
  });

  test('without it, endpoints that are no longer in the file stay as they are', async () => {
    await declare();
    expect(summary(await apply([]))).toBe('0+ ~ 0- 0=');
    expect(await find()).toMatchObject({ declared: true });
  });
});

describe('all or nothing', () => {
  test('one problem anywhere keeps everything from being written', async () => {
    const good = { name: `good ${run}`, account: ada.email };
    for (const bad of [
      { retention: '1ms' },
      { retention: '9999d' },
      { retention: 7 },
      { guard: {} },
      { forwards: [{ name: 'a' }] },
      { forwards: [{ name: 'a', url: 'https://example.com', mode: 'other' }] },
      { name: '' },
    ])
      expect(summary(await apply([good, { ...good, name: `bad ${run}`, ...bad }]))).toStartWith('endpoints.1.');
    expect(summary(await apply([good, good]))).toBe(
      'endpoints.1.name: another endpoint of this account in the file has this name',
    );
    const { endpoints } = await ada.json<{ endpoints: Endpoint[] }>(200, 'GET', '/api/endpoints');
    expect(endpoints.some(({ name }) => name === good.name)).toBe(false);
  });

  test('the limit of the plan counts existing, added and pruned endpoints', async () => {
    const of = (...names: string[]) => names.map(name => ({ name: `${name} ${run}`, account: bob.email }));
    expect(summary(await apply(of('a', 'b')))).toBe('2+ ~ 0- 0=');
    expect(summary(await apply(of('a', 'b', 'c')))).toBe('endpoints.2: the free plan allows 2 endpoints');
    expect(summary(await apply(of('b', 'c'), { prune: true, force: true }))).toMatch(/^1\+ ~ \d+- 1=$/);
  });

  test('a name taken concurrently by another process fails the whole batch', async () => {
    await declare();
    const { db } = server.services.direct;
    const rows = await createDeclaredStore(db).endpointsOf([]);
    const taken = rows.find(({ declaredName }) => declaredName === `shop ${run}`);
    const row = (id: string, declaredName: string): NewEndpoint => ({
      id,
      teamId: taken?.teamId ?? '',
      name: declaredName,
      token: id,
      createdAt: 1,
      declaredName,
      madeByFile: true,
    });
    const writes = { update: [], remove: [], release: [], claim: [] };
    const create = [row('ep_x1', `fresh ${run}`), row('ep_x2', `shop ${run}`)].map(one => ({
      row: one,
      addSecrets: [],
      answers: undefined,
      redaction: undefined,
      forwards: { add: [], set: [], remove: [] },
    }));
    expect(await createDeclaredStore(db).write({ ...writes, create }, { now: 1, withPinned: false })).toBe(false);
    expect(await send('/in/ep_x1')).toBe(404);
    expect(await thrownBy(find(`fresh ${run}`))).toThrow('0 endpoints');
  });

  test('many applies at once make each endpoint once', async () => {
    const endpoints = Array.from({ length: 20 }, (_, i) => ({ name: `many ${run} ${i}`, account: ada.email }));
    const results = await Promise.all(Array.from({ length: 5 }, () => apply(endpoints)));
    expect(results.map(summary).sort()).toEqual([
      '0+ ~ 0- 20=',
      '0+ ~ 0- 20=',
      '0+ ~ 0- 20=',
      '0+ ~ 0- 20=',
      '20+ ~ 0- 0=',
    ]);
  });
});
