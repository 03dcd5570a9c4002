/* MCP Events on `/mcp`: capabilities, the list of event types, polls, and their errors in both dialects and both revisions. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type EventsHarness, openEventsHarness } from '../../testing/mcp-events.ts';
import type { TestAccount, TestServer } from '../../testing/test-server.ts';

let harness: EventsHarness;
let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  harness = await openEventsHarness();
  ({ server, ada } = harness);
});
afterAll(() => harness.close());

type Answer = {
  result: Record<string, unknown> & { events: { eventId: string; name: string }[]; cursor: string };
  error?: { code: number; message: string; data?: unknown };
};
const ask = (method: string, params: object = {}, options: { extensions?: object; key?: string } = {}) =>
  harness.ask(options.key ?? ada.key, method, params, options.extensions) as Promise<Answer>;
const poll = async (params: object): Promise<Answer['result']> => {
  const { result, error } = await ask('events/poll', params);
  if (error) throw new Error(error.message);
  return result;
};

describe('capabilities', () => {
  const expected = { events: {}, extensions: { 'io.modelcontextprotocol/events': {} } };
  test('are in server/discover and in initialize', async () => {
    expect((await ask('server/discover')).result).toMatchObject({ capabilities: expected });
    const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const { result } = (await harness.askLegacy(ada.key, 'initialize', client)) as Answer;
    expect(result).toMatchObject({ capabilities: { ...expected, tools: expect.anything() } });
  });
});

describe('events/list', () => {
  test('has both types, with their schemas, and says that the data is untrusted', async () => {
    const { result } = await ask('events/list');
    expect(result['resultType']).toBe('complete');
    expect(result.events.map(({ name }) => name)).toEqual(['webhook.received', 'alert.changed']);
    for (const type of result.events)
      expect(type).toMatchObject({
        description: expect.stringContaining('untrusted'),
        delivery: ['webhook', 'poll', 'push'],
        inputSchema: { type: 'object', additionalProperties: false },
        payloadSchema: { type: 'object' },
      });
    expect(JSON.stringify(result)).not.toContain('documentedAs');
  });

  test('has one page', async () => {
    expect((await ask('events/list', { cursor: null })).error).toBeUndefined();
    expect((await ask('events/list', { cursor: 'x' })).error?.code).toBe(-32602);
  });
});

describe('events/poll', () => {
  test('begins now, gives events after the cursor, and says when to poll again', async () => {
    const endpoint = await ada.createEndpoint('polled');
    const params = { name: 'webhook.received', arguments: { endpoint: 'polled' } };
    const start = await poll(params);
    expect(start).toEqual({
      resultType: 'complete',
      events: [],
      cursor: expect.any(String),
      truncated: false,
      hasMore: false,
      nextPollMs: 5000,
      _meta: expect.anything(),
    });
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push(await server.deliver(endpoint, `{"n":${n}}`));
    const found = await poll({ ...params, cursor: start.cursor });
    expect(found.events.map(({ eventId }) => eventId)).toEqual(ids);
    expect(found).toMatchObject({ nextPollMs: 1000, hasMore: false });
    const some = await poll({ ...params, cursor: start.cursor, maxEvents: 2 });
    expect(some.events).toHaveLength(2);
    expect(some['hasMore']).toBe(true);
    expect((await poll({ ...params, cursor: start.cursor, maxEvents: 1000 })).events).toHaveLength(3);
  });

  test('gives 50 events at once, and 100 at most', async () => {
    const endpoint = await ada.createEndpoint('many');
    const params = { name: 'webhook.received', arguments: { endpoint: 'many' } };
    const { cursor } = await poll(params);
    await Promise.all(Array.from({ length: 110 }, (_, n) => server.deliver(endpoint, `{"n":${n}}`)));
    const count = async (maxEvents?: number) =>
      (await poll({ ...params, cursor, ...(maxEvents && { maxEvents }) })).events.length;
    expect([await count(), await count(100), await count(500)]).toEqual([50, 100, 100]);
  });

  test('works in the revisions of 2025, too', async () => {
    const endpoint = await ada.createEndpoint('legacy');
    const params = { name: 'webhook.received', arguments: { endpoint: endpoint.id } };
    const { result } = (await harness.askLegacy(ada.key, 'events/poll', params)) as Answer;
    const id = await server.deliver(endpoint);
    const next = (await harness.askLegacy(ada.key, 'events/poll', { ...params, cursor: result.cursor })) as Answer;
    expect(next.result.events.map(({ eventId }) => eventId)).toEqual([id]);
  });

  test('a read-only key may poll', async () => {
    const { key } = await ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'reads', readOnly: true });
    await ada.createEndpoint('read only');
    for (const [name, given] of [
      ['webhook.received', { endpoint: 'read only' }],
      ['alert.changed', {}],
    ])
      expect((await ask('events/poll', { name, arguments: given }, { key })).result.events).toEqual([]);
  });

  const extension = { 'io.modelcontextprotocol/events': {} };
  const wrong: [name: string, params: object, sketch: number, extension: number][] = [
    ['an unknown type', { name: 'nothing' }, -32011, -32023],
    ['a missing endpoint', { name: 'webhook.received', arguments: { endpoint: 'ep_none' } }, -32011, -32023],
    ['no name', {}, -32602, -32602],
    ['a name that is no text', { name: 5 }, -32602, -32602],
    ['a wrong cursor', { name: 'alert.changed', cursor: 'x' }, -32602, -32602],
    ['a cursor that is no text', { name: 'alert.changed', cursor: 5 }, -32602, -32602],
    ['a long cursor', { name: 'alert.changed', cursor: 'x'.repeat(10_000) }, -32602, -32602],
    ['no events', { name: 'alert.changed', maxEvents: 0 }, -32602, -32602],
    ['half an event', { name: 'alert.changed', maxEvents: 1.5 }, -32602, -32602],
    ['a negative age', { name: 'alert.changed', maxAgeMs: -1 }, -32602, -32602],
    ['an unknown argument', { name: 'alert.changed', arguments: { other: 1 } }, -32602, -32602],
    ['a proto', { name: '__proto__', arguments: JSON.parse('{"__proto__":{"endpoint":"x"}}') }, -32011, -32023],
  ];
  test.each(wrong)('%s is refused', async (_, params, sketch, newer) => {
    const answers = [await ask('events/poll', params), await ask('events/poll', params, { extensions: extension })];
    expect(answers.map(({ error }) => error?.code)).toEqual([sketch, newer]);
    // The dialect changes nothing else.
    const [first, second] = answers.map(({ error }) => ({ ...error, code: 0 }));
    expect(first).toEqual(second ?? { code: 0 });
  });

  test('NotFound says what was not found', async () => {
    const dataOf = async (params: object) => (await ask('events/poll', params)).error?.data;
    expect(await dataOf({ name: 'nothing' })).toEqual({ kind: 'event' });
    expect(await dataOf({ name: 'alert.changed', arguments: { endpoint: 'ep_none' } })).toEqual({ kind: 'endpoint' });
  });

  test('a filter that cannot be read says where', async () => {
    await ada.createEndpoint('filtered');
    const params = { name: 'webhook.received', arguments: { endpoint: 'filtered', where: 'verdikt:valid' } };
    expect((await ask('events/poll', params)).error).toMatchObject({
      code: -32602,
      data: { position: 0, nearest: 'verdict' },
    });
  });
});

test('an unknown method of the extension does not exist', async () => {
  expect((await ask('events/nothing')).error?.code).toBe(-32601);
});
