/* Which events `hooktape channel` pushes: the rule of MCP Events, and one attempt of each delivery. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { openChannel } from '../../testing/channel-client.ts';
import { openClientHarness } from '../../testing/client-commands.ts';

type Inbox = { id: string; name: string; url: string };

const harness = await openClientHarness();
const { ada, env } = harness;
const open: { kill: () => Promise<void> }[] = [];
let number = 0;
let inbox: Inbox;

beforeEach(async () => {
  inbox = await harness.json<Inbox>('endpoint', 'create', `inbox-${++number}`);
  await ada.json(201, 'POST', `/api/endpoints/${inbox.id}/secrets`, { platform: 'github', secret: 'right' });
  await ada.json(200, 'PATCH', `/api/endpoints/${inbox.id}`, { guard: { methods: ['POST'], onRefuse: 'record' } });
});
afterEach(() => Promise.all(open.splice(0).map(one => one.kill())));
afterAll(() => harness.close());

const connect = async (...args: string[]) => {
  const client = await openChannel(env, [inbox.id, '--as', 'agent', ...args]);
  open.push(client);
  return client;
};

type Sent = { secret?: string; method?: string; body?: string };
/** An attempt of a delivery of GitHub. @returns its id */
async function github(delivery: string, { secret = 'right', method = 'POST', body = '{"n":1}' }: Sent = {}) {
  const response = await fetch(`${harness.url}${new URL(inbox.url).pathname}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': delivery,
      ...(secret !== '' && {
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      }),
    },
    body,
  });
  await response.text();
  const { events } = await ada.json<{ events: { id: string }[] }>(
    200,
    'GET',
    `/api/events?endpointId=${inbox.id}&limit=1`,
  );
  return events[0]?.id ?? '';
}
const invalid = { secret: 'wrong' };
const refused = { method: 'PUT' };
const both = { ...invalid, ...refused };

/** Sends a last event that wakes in any case. @returns the ids that were pushed before it */
async function pushedBefore(client: Awaited<ReturnType<typeof connect>>, count: number) {
  const last = await github('last');
  await client.untilPushed(count + 1);
  const ids = client.ids();
  expect(ids.at(-1)).toBe(last);
  return ids.slice(0, -1);
}

describe('by default', () => {
  test.each<[name: string, args: string[], woken: string[]]>([
    ['without a filter', [], ['valid']],
    ['with another filter', ['--where', 'type:push -tag:verdict'], ['valid']],
    ['with is:refused', ['--where', 'type:push is:refused OR method:POST'], ['valid', 'refused']],
    ['with verdict:', ['--where', 'verdict:valid OR verdict:invalid'], ['valid', 'invalid']],
    ['with both', ['--where', 'NOT (is:refused verdict:none)'], ['valid', 'invalid', 'refused', 'both']],
  ])('%s, wakes %p', async (_, args, names) => {
    const client = await connect(...args);
    const sent = {
      valid: await github('d1'),
      invalid: await github('d2', invalid),
      refused: await github('d3', refused),
      both: await github('d4', both),
    };
    expect(await pushedBefore(client, names.length)).toEqual(names.map(name => sent[name as keyof typeof sent]));
  });
});

describe('per delivery', () => {
  test('the first attempt that may wake and matches is the one that wakes', async () => {
    const client = await connect('--where', 'body.n>1');
    await github('d', invalid);
    await github('d', { ...refused, body: '{"n":2}' });
    await github('d', { body: '{"n":1}' });
    const first = await github('d', { body: '{"n":2}' });
    await github('d', { body: '{"n":2}' });
    const other = await github('e', { body: '{"n":3}' });
    await client.untilPushed(2);
    expect(client.ids()).toEqual([first, other]);
  });

  test('an attempt that anyone can send does not use up a delivery with a valid signature', async () => {
    const client = await connect();
    const forged = await github('d', { secret: '' });
    const genuine = await github('d');
    await github('d');
    expect(await pushedBefore(client, 2)).toEqual([forged, genuine]);
  });

  test('a retry of what an earlier session got does not wake the next one', async () => {
    const before = await connect();
    const first = await github('d');
    await before.untilPushed(1);
    await before.call('done', { id: first });
    await before.kill();
    await github('d');
    expect(await pushedBefore(await connect(), 0)).toEqual([]);
  });

  test('an attempt from before the channel was created does not count', async () => {
    await github('d');
    const client = await connect();
    const retry = await github('d');
    expect(await pushedBefore(client, 1)).toEqual([retry]);
  });

  test('per event, each attempt wakes', async () => {
    const client = await connect('--per', 'event');
    const ids = [await github('d'), await github('d')];
    expect(await pushedBefore(client, 2)).toEqual(ids);
  });
});
