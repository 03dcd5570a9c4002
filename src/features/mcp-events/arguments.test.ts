import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { AppError } from '../../core/errors.ts';
import { EventsError } from '../../core/mcp-events/errors.ts';
import { type EventsHarness, errorOf, openEventsHarness } from '../../testing/mcp-events.ts';
import type { TestAccount, TestServer } from '../../testing/test-server.ts';

let harness: EventsHarness;
let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  harness = await openEventsHarness();
  ({ server, ada, bob } = harness);
});
afterAll(() => harness.close());

describe('arguments', () => {
  test('an endpoint is found by its id or its name, the id first', async () => {
    const first = await ada.createEndpoint('orders');
    const second = await ada.createEndpoint(first.id);
    for (const endpoint of ['orders', first.id])
      expect(await harness.readWatch(ada, 'webhook.received', { endpoint })).toMatchObject({ endpointId: first.id });
    expect(second.id).not.toBe(first.id);
  });

  test('the defaults are the first attempt of each delivery, and summaries', async () => {
    const { id } = await ada.createEndpoint('defaults');
    expect(await harness.readWatch(ada, 'webhook.received', { endpoint: id })).toMatchObject({
      per: 'delivery',
      content: 'summary',
      filter: { text: '' },
    });
    expect(await harness.readWatch(ada, 'alert.changed')).toEqual({ name: 'alert.changed', endpointId: undefined });
  });

  const wrong: [string, unknown, unknown][] = [
    ['without endpoint', 'webhook.received', {}],
    ['without arguments', 'webhook.received', undefined],
    ['null', 'webhook.received', null],
    ['a list', 'webhook.received', []],
    ['a text', 'alert.changed', 'x'],
    ['an unknown argument', 'webhook.received', { endpoint: 'taken', limit: 5 }],
    ['an unknown argument of alerts', 'alert.changed', { where: '' }],
    ['an endpoint that is a number', 'webhook.received', { endpoint: 5 }],
    ['an empty endpoint', 'webhook.received', { endpoint: '' }],
    ['another per', 'webhook.received', { endpoint: 'taken', per: 'day' }],
    ['another content', 'webhook.received', { endpoint: 'taken', content: 'none' }],
    ['a filter that cannot be read', 'webhook.received', { endpoint: 'taken', where: 'verdikt:valid' }],
    ['a filter that is too long', 'webhook.received', { endpoint: 'taken', where: 'a'.repeat(3000) }],
    ['no name', undefined, {}],
    ['an ambiguous name', 'webhook.received', { endpoint: 'twin' }],
    ['an ambiguous name of alerts', 'alert.changed', { endpoint: 'twin' }],
  ];
  test.each(wrong)('%s is invalid', async (_, name, given) => {
    if ((await server.services.endpoints.named((await harness.principalOf(ada)).teamId, 'twin')).length === 0)
      for (const one of ['taken', 'twin', 'twin']) await ada.createEndpoint(one);
    const error = await errorOf(harness.readWatch(ada, name, given));
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'invalid' });
  });

  test('a missing endpoint, and another team’s, are not found', async () => {
    const { id } = await bob.createEndpoint('of bob');
    for (const endpoint of [id, 'of bob', 'ep_missing', "'; DROP TABLE endpoints; --"])
      for (const name of ['webhook.received', 'alert.changed']) {
        const error = await errorOf(harness.readWatch(ada, name, { endpoint }));
        expect(error).toBeInstanceOf(EventsError);
        expect(error).toMatchObject({ kind: 'not_found', data: { kind: 'endpoint' } });
      }
  });

  test('an unknown event type is not found', async () => {
    for (const name of ['webhook.sent', 'constructor', ''])
      expect(await errorOf(harness.readWatch(ada, name, {}))).toMatchObject({
        kind: 'not_found',
        data: { kind: 'event' },
      });
  });
});
