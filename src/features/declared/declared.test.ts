/* What an apply does to endpoints that exist, that people have changed, or that others have. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { Endpoint } from '../endpoints/model.ts';
import type { ApplyResult } from './model.ts';
import { createDeclaredStore, type NewEndpoint } from './store.ts';

const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;
/** Unique in this file, because the tests share one server. */
let run = 0;
beforeAll(async () => {
  server = await openTestServer({ clock, env: { HOOKTAPE_FIXED_ADDRESSES: 'on', HOOKTAPE_FREE_ENDPOINTS: '2' } });
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com', { plan: 'free' });
});
beforeEach(() => {
  run++;
});
afterAll(() => server.close());

type Options = { dryRun?: boolean; prune?: boolean; force?: boolean };
const apply = (endpoints: object[], { dryRun = false, prune = false, force = false }: Options = {}) =>
  server.services.declared.apply({ document: { endpoints }, dryRun, prune, force });
/** Counts and fields in one text; the problems instead, when there are some. */
const summary = (result: ApplyResult): string => {
  if ('problems' in result)
    return result.problems.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  if ('pinned' in result) return `pinned: ${result.pinned.join(', ')}`;
  const { created, changed, removed, unchanged } = result;
  return `${created.length}+ ${changed.map(({ fields }) => fields.join(',')).join(';')}~ ${removed.length}- ${unchanged}=`;
};
const declare = async (fields: object = {}, options?: Options) =>
  summary(await apply([{ name: `shop ${run}`, account: ada.email, ...fields }], options));
const find = async (name = `shop ${run}`) => {
  const { endpoints } = await ada.json<{ endpoints: Endpoint[] }>(200, 'GET', '/api/endpoints');
  const found = endpoints.filter(one => one.name === name);
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} endpoints are called ${name}`);
  return found[0];
};
const patch = (id: string, change: object) => ada.json(200, 'PATCH', `/api/endpoints/${id}`, change);
const send = async (path: string, init: RequestInit = {}) =>
  (await fetch(`${await server.listen()}${path}`, { method: 'POST', body: '{}', ...init })).status;

describe('what people changed', () => {
  test('a second apply sets back what the file gives, under whatever name, and leaves the rest', async () => {
    const given = { retention: '3d', guard: { methods: ['POST'], onRefuse: 'drop' } };
    expect(await declare(given)).toBe('1+ ~ 0- 0=');
    const { id, declared } = await find();
    expect(declared).toBe(true);
    await patch(id, { name: 'renamed', retention: '5d', guard: null, paused: true });
    expect(await declare(given)).toBe('0+ name,retention,guard~ 0- 0=');
    expect(await find()).toMatchObject({ id, ...given, paused: true });
    expect(await declare(given)).toBe('0+ ~ 0- 1=');
  });

  test('a field that no file gave is theirs; one that the file gives no longer goes back to its default', async () => {
    await declare({ retention: '3d' });
    const { id } = await find();
    await patch(id, { guard: { cidrs: ['127.0.0.1'], onRefuse: 'record' } });
    expect(await declare({ retention: '3d' })).toBe('0+ ~ 0- 1=');
    expect(await declare()).toBe('0+ retention~ 0- 0=');
    expect(await find()).toMatchObject({ retention: null, guard: { cidrs: ['127.0.0.1'], onRefuse: 'record' } });
    await patch(id, { retention: '9d' });
    expect(await declare()).toBe('0+ ~ 0- 1=');
  });

  test('an endpoint that a person made is taken over with its events, and is never pruned', async () => {
    const made = await ada.createEndpoint(`shop ${run}`);
    await server.deliver(made);
    expect(await declare()).toBe('0+ declared~ 0- 0=');
    expect(await declare()).toBe('0+ ~ 0- 1=');
    expect(await find()).toMatchObject({ id: made.id, url: made.url, eventCount: 1, declared: true });
    expect(summary(await apply([], { prune: true, force: true }))).toMatch(/^0\+ ~ \d+- 0=$/);
    expect(await find()).toMatchObject({ id: made.id, eventCount: 1, declared: false });
  });

  test('two of one name are not guessed between, unless a file declared one of them', async () => {
    await declare();
    await ada.createEndpoint(`shop ${run}`);
    expect(await declare()).toBe('0+ ~ 0- 1=');
    run++;
    await ada.createEndpoint(`shop ${run}`);
    await ada.createEndpoint(`shop ${run}`);
    expect(await declare()).toBe(
      'endpoints.0.name: ada@example.com has 2 endpoints of this name: rename the others first',
    );
  });
});

describe('secrets', () => {
  const secrets = async () => {
    const { id } = await find();
    const list = await ada.json<{ secrets: { id: string; last4: string; confirmed: boolean }[] }>(
      200,
      'GET',
      `/api/endpoints/${id}/secrets`,
    );
    return list.secrets;
  };
  const github = (value: string) => ({ secrets: [{ platform: 'github', value }] });

  test('a new value replaces the one of the file; what a person registered stays, also when it is the same', async () => {
    await declare(github('first-secret-1111'));
    const { id } = await find();
    await ada.json(201, 'POST', `/api/endpoints/${id}/secrets`, { platform: 'github', secret: 'of-a-person-2222' });
    expect(await declare(github('third-secret-3333'))).toBe('0+ secrets~ 0- 0=');
    expect((await secrets()).map(one => one.last4)).toEqual(['2222', '3333']);
    expect(await declare(github('of-a-person-2222'))).toBe('0+ secrets~ 0- 0=');
    expect((await secrets()).map(one => one.last4)).toEqual(['2222']);
    expect(await declare({ secrets: [] })).toBe('0+ ~ 0- 1=');
    expect((await secrets()).map(one => one.last4)).toEqual(['2222']);
  });

  test('one that a person removed comes back, and one that may sign keeps that', async () => {
    await declare(github('first-secret-1111'));
    const { id } = await find();
    const [kept] = await secrets();
    await ada.json(200, 'PATCH', `/api/endpoints/${id}/secrets/${kept?.id}`, { maySign: true });
    expect(await declare(github('first-secret-1111'))).toBe('0+ ~ 0- 1=');
    expect((await secrets())[0]).toMatchObject({ id: kept?.id, maySign: true });
    await ada.json(200, 'DELETE', `/api/endpoints/${id}/secrets/${kept?.id}`);
    expect(await declare(github('first-secret-1111'))).toBe('0+ secrets~ 0- 0=');
    const body = '{"zen":"x"}';
    const signature = new Bun.CryptoHasher('sha256', 'first-secret-1111').update(body).digest('hex');
    const headers = { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-event': 'ping' };
    const event = await server.deliver(await find(), body, { headers });
    expect(await ada.json(200, 'GET', `/api/events/${event}`)).toMatchObject({ signatureValid: true });
  });

  test('an unknown platform and one without signatures are problems of their field', async () => {
    expect(
      await declare({
        secrets: [
          { platform: 'githup', value: 'x' },
          { platform: 7, value: 'x' },
        ],
      }),
    ).toBe(
      'endpoints.0.secrets.0.valueFrom: unknown platform "githup"; endpoints.0.secrets.1.platform: must be the name of a platform, or null for any',
    );
  });
});

describe('guards', () => {
  const basic = (password: string) => ({ headers: { authorization: `Basic ${btoa(`u:${password}`)}` } });
  const guard = (password: string) => ({ guard: { basic: { user: 'u', password }, onRefuse: 'drop' } });

  test('[set] keeps what a person set, and is a problem where nothing is', async () => {
    expect(await declare(guard('[set]'))).toContain('endpoints.0.guard.basic.password: [set] keeps a stored value');
    await declare(guard('one'));
    const { id, url } = await find();
    const { pathname } = new URL(url);
    await patch(id, guard('two'));
    expect(await declare(guard('[set]'))).toBe('0+ ~ 0- 1=');
    expect([await send(pathname, basic('one')), await send(pathname, basic('two'))]).toEqual([401, 200]);
    expect(await declare(guard('one'))).toBe('0+ guard~ 0- 0=');
    expect([await send(pathname, basic('one')), await send(pathname, basic('two'))]).toEqual([200, 401]);
  });
});

describe('fixed addresses', () => {
  test('a new one leaves the former URL an overlap, and the file wins over a rotation', async () => {
    const address = `shop-${run}`;
    const made = await ada.createEndpoint(`shop ${run}`);
    expect(await declare({ address })).toBe('0+ declared,address~ 0- 0=');
    const former = new URL(made.url).pathname;
    expect([await send(`/in/${address}`), await send(former)]).toEqual([200, 200]);
    await ada.json(200, 'POST', `/api/endpoints/${made.id}/rotate`, {});
    expect(await declare({ address })).toBe('0+ address~ 0- 0=');
    expect((await find()).url).toEndWith(`/in/${address}`);
    clock.advance(25 * 3_600_000);
    expect([await send(`/in/${address}`), await send(former)]).toEqual([200, 404]);
    expect(await declare()).toBe('0+ ~ 0- 1=');
    expect((await find()).url).toEndWith(`/in/${address}`);
  });

  test('what another endpoint has, or had a moment ago, is taken; what a deleted one had is free', async () => {
    const address = `shop-${run}`;
    await declare({ address });
    const { id } = await find();
    const other = { name: `other ${run}`, account: ada.email, address };
    expect(summary(await apply([other]))).toBe('endpoints.0.address: another endpoint has this address');
    await ada.json(200, 'POST', `/api/endpoints/${id}/rotate`, { overlap: '1h' });
    expect(summary(await apply([other]))).toBe('endpoints.0.address: another endpoint has this address');
    await ada.json(200, 'DELETE', `/api/endpoints/${id}`);
    expect(await send(`/in/${address}`)).toBe(404);
    expect(summary(await apply([other]))).toBe('1+ ~ 0- 0=');
    expect(await send(`/in/${address}`)).toBe(200);
    expect(summary(await apply([{ ...other, name: `third ${run}` }], { prune: true }))).toMatch(/^1\+ ~ \d+- 0=$/);
    expect(await send(`/in/${address}`)).toBe(200);
  });

  test('two in one file, and forms that a URL or a person would mistake', async () => {
    const one = { account: ada.email, address: 'same' };
    expect(
      summary(
        await apply([
          { ...one, name: 'a' },
          { ...one, name: 'b' },
        ]),
      ),
    ).toBe('endpoints.1.address: another endpoint in the file has this address');
    for (const address of ['ab', '-abc', 'Abc', 'a_bc', 'a.bc', 'a/bc', 'x'.repeat(64), '', 7])
      expect(await declare({ address })).toContain('endpoints.0.address: must be 3 to 63');
  });
});

describe('pruning', () => {
  test('removes what a file made, in every account; pinned events hold it back, and then nothing is done', async () => {
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

  test('without it, what the file no longer has stays as it is', async () => {
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
      { forwards: [] },
      { name: '' },
    ])
      expect(summary(await apply([good, { ...good, name: `bad ${run}`, ...bad }]))).toStartWith('endpoints.1.');
    expect(summary(await apply([good, good]))).toBe(
      'endpoints.1.name: another endpoint of this account in the file has this name',
    );
    const { endpoints } = await ada.json<{ endpoints: Endpoint[] }>(200, 'GET', '/api/endpoints');
    expect(endpoints.some(({ name }) => name === good.name)).toBe(false);
  });

  test('the limit of the plan counts what there is, what is added, and what is pruned', async () => {
    const of = (...names: string[]) => names.map(name => ({ name: `${name} ${run}`, account: bob.email }));
    expect(summary(await apply(of('a', 'b')))).toBe('2+ ~ 0- 0=');
    expect(summary(await apply(of('a', 'b', 'c')))).toBe('endpoints.2: the free plan allows 2 endpoints');
    expect(summary(await apply(of('b', 'c'), { prune: true, force: true }))).toMatch(/^1\+ ~ \d+- 1=$/);
  });

  test('a name that another process takes meanwhile fails the whole batch', async () => {
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
      secrets: [],
      answers: undefined,
    }));
    expect(await createDeclaredStore(db).write({ ...writes, create }, { now: 1, withPinned: false })).toBe(false);
    expect(await send('/in/ep_x1')).toBe(404);
    await expect(find(`fresh ${run}`)).rejects.toThrow('0 endpoints');
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
