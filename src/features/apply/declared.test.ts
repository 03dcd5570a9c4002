/* The effect of an apply on existing endpoints, and on changes by people. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { openDeclaring, summary } from '../../testing/declared.ts';

type Declaring = Awaited<ReturnType<typeof openDeclaring>>;

let declaring: Declaring;
let server: Declaring['server'];
let ada: Declaring['ada'];
/** Unique in this file, because the tests share one server. */
let run = 0;
beforeAll(async () => {
  declaring = await openDeclaring();
  ({ server, ada } = declaring);
});
beforeEach(() => {
  run++;
});
afterAll(() => server.close());

const apply: Declaring['apply'] = (...given) => declaring.apply(...given);
const send: Declaring['send'] = (...given) => declaring.send(...given);
const declare = (fields: object = {}) => declaring.declareAs(`shop ${run}`, fields);
const find = (name = `shop ${run}`) => declaring.find(name);
const patch: Declaring['patch'] = (...given) => declaring.patch(...given);

describe('changes by people', () => {
  test('a second apply restores the fields of the file, even after a rename, and leaves the rest', async () => {
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

  test('a new value replaces the one of the file; secrets registered by a person stay, even with the same value', async () => {
    await declare(github('first-secret-1111'));
    const { id } = await find();
    await ada.json(201, 'POST', `/api/endpoints/${id}/secrets`, { platform: 'github', secret: 'of-a-person-2222' });
    expect(await declare(github('third-secret-3333'))).toBe('0+ secrets~ 0- 0=');
    expect((await secrets()).map(one => one.last4).sort()).toEqual(['2222', '3333']);
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

  test('[set] keeps a value set by a person, and is a problem if none is stored', async () => {
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
    declaring.clock.advance(25 * 3_600_000);
    expect([await send(`/in/${address}`), await send(former)]).toEqual([200, 404]);
    expect(await declare()).toBe('0+ ~ 0- 1=');
    expect((await find()).url).toEndWith(`/in/${address}`);
  });

  test('an address of another endpoint, current or former, is taken; one of a deleted endpoint is free', async () => {
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

describe('redaction', () => {
  const rule = { in: 'body', path: 'customer.email', with: 'mask' };

  test('is set, changed and removed', async () => {
    expect(await declare({ redaction: { rules: [rule] } })).toBe('1+ ~ 0- 0=');
    const { id, url } = await find();
    const path = `/api/endpoints/${id}/redaction`;
    expect(await ada.json(200, 'GET', path)).toEqual({ rules: [rule], otherBodies: 'drop', originalHash: 'drop' });
    const event = await server.deliver({ url }, '{"customer":{"email":"ada@example.com"}}');
    expect(await ada.json(200, 'GET', `/api/events/${event}`)).toMatchObject({ redacted: { rules: 1 } });
    expect(await declare({ redaction: { rules: [rule], otherBodies: 'drop' } })).toBe('0+ ~ 0- 1=');
    expect(await declare({ redaction: { rules: [rule], otherBodies: 'keep' } })).toBe('0+ redaction~ 0- 0=');
    expect(await declare()).toBe('0+ redaction~ 0- 0=');
    expect(await ada.json(200, 'GET', path)).toMatchObject({ rules: [] });
    const plain = await server.deliver({ url }, '{"customer":{"email":"ada@example.com"}}');
    expect(await ada.json(200, 'GET', `/api/events/${plain}`)).toMatchObject({ redacted: null });
  });

  test.each([
    [{ rules: [{ in: 'body', with: 'mask' }] }, 'redaction.rules.0.path: required'],
    [{ rules: [], others: 'keep' }, 'redaction.others: no such field'],
    [{ rules: {} }, 'redaction.rules: must be a list'],
    ['mask', 'redaction: must be an object'],
  ])('%j is refused', async (redaction, expected) => {
    expect(await declare({ redaction })).toStartWith(`endpoints.0.${expected}`);
  });
});

describe('answers', () => {
  const rules = (...list: object[]) => ({ answers: { rules: list } });
  const flaky = { first: 1, per: 'endpoint', answer: { status: 500 } };

  test('are set, and set back, and the same ones again do not start their sequences anew', async () => {
    expect(await declare(rules(flaky))).toBe('1+ ~ 0- 0=');
    const { id, url } = await find();
    const { pathname } = new URL(url);
    expect([await send(pathname), await send(pathname)]).toEqual([500, 200]);
    expect(await declare(rules(flaky))).toBe('0+ ~ 0- 1=');
    expect(await send(pathname)).toBe(200);
    await ada.json(200, 'PUT', `/api/endpoints/${id}/answers`, { rules: [{ answer: { status: 418 } }] });
    expect(await send(pathname)).toBe(418);
    expect(await declare(rules(flaky))).toBe('0+ answers~ 0- 0=');
    expect([await send(pathname), await send(pathname)]).toEqual([500, 200]);
    expect(await declare()).toBe('0+ answers~ 0- 0=');
    expect([await send(pathname), await send(pathname)]).toEqual([200, 200]);
    expect(await declare(rules())).toBe('0+ ~ 0- 1=');
  });

  test('a guard, rules and a pause do not undo each other', async () => {
    const guard = { methods: ['POST'], onRefuse: 'drop' };
    await declare({ ...rules({ answer: { status: 202 } }), guard });
    const { id, url } = await find();
    const { pathname } = new URL(url);
    const both = async () => [await send(pathname), await send(pathname, { method: 'PUT' })];
    expect(await both()).toEqual([202, 405]);
    await patch(id, { paused: true });
    expect(await both()).toEqual([503, 503]);
    await patch(id, { paused: false });
    expect(await both()).toEqual([202, 405]);
    await patch(id, { guard: null });
    expect(await both()).toEqual([202, 202]);
    await ada.json(200, 'DELETE', `/api/endpoints/${id}/answers`);
    expect(await both()).toEqual([200, 200]);
    await declare({ ...rules({ answer: { status: 202 } }), guard });
    expect(await both()).toEqual([202, 405]);
    await ada.json(200, 'POST', `/api/endpoints/${id}/rotate`, {});
    expect(await both()).toEqual([202, 405]);
  });

  test.each([
    [{ rules: {} }, 'answers.rules: must be a list'],
    [{ rule: [] }, 'answers.rules: required; endpoints.0.answers.rule: no such field; did you mean rules?'],
    [{ rules: [{}] }, 'answers.rules.0.answer: required'],
    [
      { rules: [{ answer: { status: '500' } }] },
      'answers.rules.0.answer.status: must be a whole number from 200 to 599',
    ],
    [
      { rules: [{ answer: {} }, { answer: { status: 99 } }] },
      'answers.rules.1.answer.status: must be a whole number from 200 to 599',
    ],
    [{ rules: [{ answer: {}, rate: { max: 1 } }] }, 'answers.rules.0.rate.perS: required'],
    [
      { rules: [{ answer: { headers: [['a']] } }] },
      'answers.rules.0.answer.headers.0: must be a pair of a name and a value',
    ],
    [{ rules: [{ when: 'tpye:x', answer: {} }] }, 'answers.rules.0.when: there is no field "tpye"; did you mean type?'],
  ])('%j is refused', async (answers, expected) => {
    expect(await declare({ answers })).toStartWith(`endpoints.0.${expected}`);
  });
});
