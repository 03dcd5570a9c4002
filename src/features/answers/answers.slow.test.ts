import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHarEntry } from '../../cli/import/har-entry.ts';
import type { AnswerRule } from '../../core/answers/model.ts';
import { rowsOf } from '../../testing/events.ts';
import { eventually } from '../../testing/poll.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { EventSummary } from '../events/model.ts';

let server: TestServer;
let ada: TestAccount;
let origin: string;

beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  origin = await server.listen();
});
afterAll(() => server.close());

const post = (url: string, body: string, at = origin): Promise<Response> =>
  fetch(`${at}${new URL(url).pathname}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
const eventsOf = async (id: string, account = ada): Promise<EventSummary[]> =>
  (await account.json<{ events: EventSummary[] }>(200, 'GET', `/api/events?endpointId=${id}&limit=100`)).events;
const twice: AnswerRule = { per: 'delivery', first: 2, answer: { status: 500 } };

describe('/api/endpoints/{id}/answers', () => {
  test('PUT sets rules, GET returns them, DELETE removes them', async () => {
    const { id, url } = await ada.createEndpoint();
    const path = `/api/endpoints/${id}/answers`;
    expect(await ada.json(200, 'GET', path)).toEqual({ rules: [] });
    const rules = [{ name: 'rule-1', per: 'endpoint', answer: { status: 503, headers: [['X-A', '1']] } }];
    expect(await ada.json(200, 'PUT', path, { rules: [{ answer: { status: 503, headers: [['X-A', '1']] } }] })).toEqual(
      {
        rules,
      },
    );
    expect(await ada.json(200, 'GET', path)).toEqual({ rules });
    expect((await post(url, '{}')).status).toBe(503);
    expect(await ada.json(200, 'DELETE', path)).toEqual({ ok: true });
    expect(await ada.json(200, 'DELETE', path)).toEqual({ ok: true });
    expect((await post(url, '{}')).status).toBe(200);
    await ada.json(200, 'PUT', path, { rules });
    expect(await ada.json(200, 'PUT', path, { rules: [] })).toEqual({ rules: [] });
    expect((await post(url, '{}')).status).toBe(200);
  });

  test('a wrong rule changes nothing, and the error names it', async () => {
    const { id, url } = await ada.createEndpoint();
    const path = `/api/endpoints/${id}/answers`;
    await ada.json(200, 'PUT', path, { rules: [{ answer: { status: 503 } }] });
    const refused = [
      [{ rules: [{ answer: {} }, { chance: 2, answer: {} }] }, 'rules[1].chance'],
      [{ rules: [{ answer: { status: 'x' } }] }, 'rules[0].answer.status'],
      [{ rules: [{ anwser: {} }] }, 'rules[0].'],
      [{ rules: [{ answer: { statsu: 1 } }] }, 'rules[0].answer.statsu'],
      [{ rules: [{ answer: { fault: 'explode' } }] }, 'rules[0].answer.fault'],
      [{ rules: {} }, 'rules'],
    ] as const;
    for (const [body, message] of refused) {
      const { error } = await ada.json<{ error: string }>(400, 'PUT', path, body);
      expect([message, error]).toEqual([message, expect.stringContaining(message)]);
    }
    const wrong = await ada.json(400, 'PUT', path, { rules: [{ when: 'tpye:x', answer: {} }] });
    expect(wrong).toMatchObject({ position: 0, nearest: 'type' });
    expect((await post(url, '{}')).status).toBe(503);
  });

  test('another team finds no endpoint', async () => {
    const { id } = await ada.createEndpoint();
    const bob = await server.createAccount('bob@example.com');
    const body = { rules: [{ answer: {} }] };
    await bob.json(404, 'GET', `/api/endpoints/${id}/answers`);
    await bob.json(404, 'PUT', `/api/endpoints/${id}/answers`, body);
    await bob.json(404, 'DELETE', `/api/endpoints/${id}/answers`);
    await bob.json(404, 'POST', `/api/endpoints/${id}/answers/preview`, body);
  });

  test('rules stay when the endpoint is renamed, paused and gets another URL', async () => {
    const { id, url } = await ada.createEndpoint();
    await ada.json(200, 'PUT', `/api/endpoints/${id}/answers`, { rules: [{ answer: { status: 410 } }] });
    await ada.json(200, 'PATCH', `/api/endpoints/${id}`, { paused: true });
    expect((await post(url, '{}')).status).toBe(503);
    await ada.json(200, 'PATCH', `/api/endpoints/${id}`, { paused: false, name: 'renamed' });
    expect((await post(url, '{}')).status).toBe(410);
    const rotated = await ada.json<{ url: string }>(200, 'POST', `/api/endpoints/${id}/rotate`, {});
    expect((await post(rotated.url, '{}')).status).toBe(410);
    expect((await post(url, '{}')).status).toBe(410);
  });
});

test('a preview says which rule would have answered, and changes nothing', async () => {
  const { id, url } = await ada.createEndpoint();
  for (const body of ['{"d":1}', '{"d":1}', '{"d":2}', '{"type":"url_verification","challenge":"c"}', '{"d":1}'])
    await post(url, body);
  const rules = [twice, { name: 'last', when: 'body.d:1', answer: { fault: 'close' } }];
  const preview = await ada.json<{ events: { event: EventSummary; rule: string | null; status: number | null }[] }>(
    200,
    'POST',
    `/api/endpoints/${id}/answers/preview`,
    { rules, limit: 5 },
  );
  expect(preview.events.map(({ rule, status }) => [rule, status])).toEqual([
    ['last', null],
    [null, 200],
    ['rule-1', 500],
    ['rule-1', 500],
    ['rule-1', 500],
  ]);
  expect(preview.events.map(({ event }) => event)).toEqual(await eventsOf(id));
  expect(await ada.json(200, 'GET', `/api/endpoints/${id}/answers`)).toEqual({ rules: [] });
  const one = await ada.json<{ events: unknown[] }>(200, 'POST', `/api/endpoints/${id}/answers/preview`, {
    rules,
    limit: 1,
  });
  expect(one.events).toEqual([{ event: (await eventsOf(id))[0], rule: 'rule-1', status: 500 }]);
});

test('chance: the preview of an event shows the answer that its sender got', async () => {
  const { id, url } = await ada.createEndpoint();
  const rules: AnswerRule[] = [{ chance: 0.5, answer: { status: 500 } }];
  await ada.json(200, 'PUT', `/api/endpoints/${id}/answers`, { rules });
  for (let n = 0; n < 25; n++) await post(url, `{"n":${n}}`);
  const { events } = await ada.json<{ events: { event: EventSummary; status: number }[] }>(
    200,
    'POST',
    `/api/endpoints/${id}/answers/preview`,
    { rules, limit: 25 },
  );
  expect(events.map(({ status }) => status)).toEqual(events.map(({ event }) => event.answered.status as number));
  expect(new Set(events.map(({ status }) => status)).size).toBe(2);
});

describe('a preview of the saved rules agrees with what test events and deliveries got', () => {
  type Previewed = { event: EventSummary; rule: string | null; status: number | null };
  const preview = async (id: string, rules: AnswerRule[], limit: number): Promise<Previewed[]> =>
    (await ada.json<{ events: Previewed[] }>(200, 'POST', `/api/endpoints/${id}/answers/preview`, { rules, limit }))
      .events;
  const sendTest = (id: string, platform: string) =>
    ada.json(201, 'POST', `/api/endpoints/${id}/test-events`, { platform });

  test.each<[string, AnswerRule[]]>([
    ['first', [{ first: 2, answer: { status: 500 } }]],
    ['every', [{ every: 4, answer: { fault: 'stall' } }]],
    ['rate', [{ rate: { max: 4, perS: 3600 }, answer: { status: 429 } }]],
    ['delay', [{ first: 3, answer: { status: 503, delayMs: 20_000 } }]],
    ['verdict', [{ when: 'verdict:valid', every: 3, answer: { status: 409, delayMs: 0, body: '{{id}}' } }]],
  ])('%s, with and without a guard', async (_, rules) => {
    for (const guard of [null, { methods: ['PUT'], onRefuse: 'record' }]) {
      const { id, url } = await ada.createEndpoint();
      await ada.json(200, 'PATCH', `/api/endpoints/${id}`, { guard });
      await ada.json(200, 'PUT', `/api/endpoints/${id}/answers`, { rules });
      const before = Date.now();
      await eventually(async () => Date.now() > before);
      for (const platform of ['stripe', 'github', 'stripe', 'notion', 'slack']) await sendTest(id, platform);
      if (guard) expect((await post(url, '{}')).status).toBe(405);
      for (const platform of ['stripe', 'shopify', 'github']) await sendTest(id, platform);
      // As the dashboard sends them: in another order, and without what is the default.
      const same = rules.map(({ answer: { body, delayMs, ...answer }, ...rule }) => ({
        answer: { ...(body && { body }), ...(delayMs && { delayMs }), ...answer },
        ...rule,
      }));
      const events = await preview(id, same, 5);
      const got = events.map(({ event: { answered } }) => [answered.rule, answered.status]);
      expect(events.map(({ rule, status }) => [rule, status])).toEqual(got);
    }
  });

  test('edited rules, and events from before, begin anew', async () => {
    const { id } = await ada.createEndpoint();
    const rules: AnswerRule[] = [{ name: 'once', first: 1, answer: { status: 500 } }];
    for (let n = 0; n < 3; n++) await sendTest(id, 'stripe');
    await ada.json(200, 'PUT', `/api/endpoints/${id}/answers`, { rules });
    expect((await preview(id, rules, 2)).map(({ rule }) => rule)).toEqual([null, 'once']);
    const before = Date.now();
    await eventually(async () => Date.now() > before);
    for (let n = 0; n < 3; n++) await sendTest(id, 'stripe');
    expect((await preview(id, rules, 2)).map(({ rule }) => rule)).toEqual([null, null]);
    const edited: AnswerRule[] = [{ name: 'once', first: 1, answer: { status: 501 } }];
    expect((await preview(id, edited, 2)).map(({ rule }) => rule)).toEqual([null, 'once']);
  });

  test('imported events have the answers of these rules, not of the endpoint that received them', async () => {
    const [source, { id }] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const rules: AnswerRule[] = [{ name: 'here', first: 1, answer: { status: 500 } }];
    await ada.json(200, 'PUT', `/api/endpoints/${id}/answers`, { rules });
    await ada.json(200, 'PUT', `/api/endpoints/${source.id}/answers`, {
      rules: [{ name: 'elsewhere', answer: { status: 410 } }],
    });
    const before = Date.now();
    await eventually(async () => Date.now() > before);
    for (let n = 0; n < 2; n++) await sendTest(source.id, 'stripe');
    const { events } = JSON.parse(
      await (await ada.call('GET', `/api/endpoints/${source.id}/export?format=json`)).text(),
    ) as { events: EventSummary[] };
    await server.services.imports.add(id, events);
    await sendTest(id, 'stripe');
    const found = await preview(id, rules, 3);
    expect(found.map(({ event }) => event.answered.rule)).toEqual(['here', 'elsewhere', 'elsewhere']);
    expect(found.map(({ rule, status }) => [rule, status])).toEqual([
      ['here', 500],
      [null, 200],
      ['here', 500],
    ]);
  });
});

test('exports contain the answers to senders, and imports restore them', async () => {
  const { id, url } = await ada.createEndpoint();
  await ada.json(200, 'PUT', `/api/endpoints/${id}/answers`, {
    rules: [
      { name: 'reset', when: 'body.n:1', answer: { fault: 'reset' } },
      { name: 'no', when: 'body.n:2', answer: { status: 422, body: 'no' } },
    ],
  });
  await post(url, '{"n":1}').catch(() => {});
  await post(url, '{"n":2}');
  await post(url, '{"n":3}');
  const file = async (format: string) => (await ada.call('GET', `/api/endpoints/${id}/export?format=${format}`)).text();
  const { events } = JSON.parse(await file('json')) as { events: EventSummary[] };
  const answers = [
    { status: null, rule: 'reset', delayMs: 0, fault: 'reset', limited: false },
    { status: 422, rule: 'no', delayMs: 0, fault: null, limited: false },
    { status: 200, rule: null, delayMs: 0, fault: null, limited: false },
  ];
  expect(events.map(({ answered }) => answered as unknown)).toEqual(answers);
  const har = JSON.parse(await file('har')) as {
    log: { entries: { response: { status: number }; _answered: unknown }[] };
  };
  expect(har.log.entries.map(({ response, _answered }) => [response.status, _answered])).toEqual([
    [0, answers[0]],
    [422, answers[1]],
    [200, answers[2]],
  ]);
  const lines = (await file('csv')).trim().split('\r\n');
  expect(lines.slice(1).map(line => line.split(',').slice(-5).join())).toEqual([
    ',reset,reset,,',
    '422,no,,,',
    '200,,,,',
  ]);
  const copy = await ada.createEndpoint();
  await server.services.imports.add(copy.id, events);
  expect((await eventsOf(copy.id)).toReversed().map(({ answered }) => answered as unknown)).toEqual(answers);
  expect(await server.services.imports.add(copy.id, events)).toMatchObject({ imported: 0, alreadyThere: 3 });
  const fromHar = await ada.createEndpoint();
  const entries = har.log.entries.map(entry => fromHarEntry(entry, () => ({ platform: null, eventType: null })));
  await server.services.imports.add(fromHar.id, entries);
  expect((await eventsOf(fromHar.id)).toReversed().map(({ answered }) => answered as unknown)).toEqual(answers);
});

test('removing events removes their stored answers; their deliveries then restart', async () => {
  const { id, url } = await ada.createEndpoint();
  await ada.json(200, 'PUT', `/api/endpoints/${id}/answers`, {
    rules: [twice, { name: 'once', first: 1, answer: { status: 410 } }],
  });
  const statuses = async (count: number) => {
    const found: number[] = [];
    for (let n = 0; n < count; n++) found.push((await post(url, '{"n":1}')).status);
    return found;
  };
  expect(await statuses(4)).toEqual([500, 500, 410, 200]);
  const before = await rowsOf(server, 'SELECT count(*) FROM outcomes');
  await ada.json(200, 'POST', `/api/endpoints/${id}/events/delete`, { where: 'size>0' });
  expect(Number((await rowsOf(server, 'SELECT count(*) FROM outcomes'))[0]?.[0])).toBe(Number(before[0]?.[0]) - 3);
  // The sequence of the endpoint continues.
  expect(await statuses(3)).toEqual([500, 500, 200]);
});

test.skipIf(isRemote)(
  'rules and sequences survive a restart, and replaced rules leave nothing',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
    try {
      const open = () => openTestServer({ directory });
      let one = await open();
      const owner = await one.createAccount();
      const { id, url } = await owner.createEndpoint();
      await owner.json(200, 'PUT', `/api/endpoints/${id}/answers`, {
        rules: [twice, { rate: { max: 1, perS: 3600 }, answer: {} }],
      });
      const found: number[] = [];
      for (let n = 0; n < 4; n++) {
        found.push((await post(url, '{"n":1}', await one.listen())).status);
        await one.close();
        one = await open();
      }
      expect(found).toEqual([500, 500, 200, 429]);
      const services = one;
      const headers = { authorization: `Bearer ${owner.key}` };
      await services.fetch(`/api/endpoints/${id}/answers`, { method: 'DELETE', headers });
      expect(await rowsOf(services, 'SELECT count(*) FROM sequences')).toEqual([[0]]);
      await services.close();
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
  120_000,
);
