import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { fromHarEntry } from '../../cli/import/har-entry.ts';
import { detect } from '../../platforms/platforms.ts';
import { exchange } from '../../testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
});
afterAll(() => server.close());

const event = (n: number, change: Record<string, unknown> = {}) => ({
  receivedAt: Date.now() - 1000 + n,
  method: 'POST',
  path: '',
  query: null,
  rawHeaders: [],
  payloadRaw: `${n}`,
  payloadEncoding: 'utf8',
  ...change,
});

describe('an import', () => {
  test('adds each event once when two imports of the same events run at once', async () => {
    const { id } = await ada.createEndpoint();
    const events = Array.from({ length: 300 }, (_, n) => event(n));
    const both = await Promise.all([server.services.imports.add(id, events), server.services.imports.add(id, events)]);
    expect(both).toEqual([
      { imported: 300, alreadyThere: 0, expired: 0 },
      { imported: 0, alreadyThere: 300, expired: 0 },
    ]);
    expect(await ada.json(200, 'GET', `/api/endpoints/${id}`)).toMatchObject({
      eventCount: 300,
      lastReceivedAt: events.at(-1)?.receivedAt,
    });
  });

  test('takes events that differ in any part for different events', async () => {
    const { id } = await ada.createEndpoint();
    const one = event(0);
    const others = [
      { receivedAt: one.receivedAt + 1 },
      { method: 'PUT' },
      { path: '/' },
      { query: '' },
      { rawHeaders: [['a', 'b']] },
      { rawHeaders: [['A', 'b']] },
      { payloadRaw: '' },
    ].map(change => ({ ...one, ...change }));
    expect(await server.services.imports.add(id, [one, ...others])).toMatchObject({ imported: 8 });
    expect(await server.services.imports.add(id, [...others, one])).toMatchObject({ imported: 0, alreadyThere: 8 });
  });

  test('adds nothing of a batch with a wrong event', async () => {
    const { id } = await ada.createEndpoint();
    expect(await thrownBy(server.services.imports.add(id, [event(0), event(1, { method: '' })]))).toThrow('method');
    expect(await ada.json(200, 'GET', `/api/endpoints/${id}`)).toMatchObject({ eventCount: 0, lastReceivedAt: null });
  });

  test('into a deleted endpoint is refused', async () => {
    const { id } = await ada.createEndpoint();
    await ada.json(200, 'DELETE', `/api/endpoints/${id}`);
    expect(await thrownBy(server.services.imports.add(id, [event(0)]))).toThrow('endpoint not found');
  });

  test('of a HAR export restores every character of a request line', async () => {
    const [from, to] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const printable = String.fromCharCode(...Array.from({ length: 0x7e - 0x20 }, (_, n) => 0x21 + n));
    for (const rest of [`/${printable.replace('?', '')}?${printable}`, '#/a', '?#', '/?', '/a#b?c#d?e', ''])
      await exchange(
        await server.listen(),
        `POST ${new URL(from.url).pathname}${rest} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`,
      );
    const { log } = await ada.json<{ log: { entries: unknown[] } }>(
      200,
      'GET',
      `/api/endpoints/${from.id}/export?format=har`,
    );
    await server.services.imports.add(
      to.id,
      log.entries.map(entry => fromHarEntry(entry, delivery => detect(delivery, []))),
    );
    const targets = async ({ id }: { id: string }) => {
      const { events } = await ada.json<{ events: { path: string; query: string | null }[] }>(
        200,
        'GET',
        `/api/endpoints/${id}/export`,
      );
      return events.map(({ path, query }) => [path, query]);
    };
    expect(await targets(to)).toEqual(await targets(from));
    expect((await targets(from)).slice(-4)).toEqual([
      ['', '#'],
      ['/', ''],
      ['/a#b', 'c#d?e'],
      ['', null],
    ]);
  });

  test('makes events that can be read like any other', async () => {
    const { id } = await ada.createEndpoint();
    await server.services.imports.add(id, [event(0, { platform: 'github', eventType: 'push', payloadRaw: '{"a":1}' })]);
    const { events } = await ada.json<{ events: { id: string }[] }>(200, 'GET', `/api/events?endpointId=${id}`);
    expect(events[0]).toMatchObject({ platform: 'github', eventType: 'push', payloadPreview: '{"a":1}', size: 7 });
    expect(await ada.json(200, 'GET', `/api/events/${events[0]?.id}`)).toMatchObject({
      payload: { a: 1 },
      sourceIp: '',
    });
  });

  test('reads the event type from the content if the file does not have the field', async () => {
    const { id } = await ada.createEndpoint();
    const bare = event(0, { payloadRaw: '{"type":"order.created"}' });
    const github = { platform: 'github', rawHeaders: [['X-GitHub-Event', 'push']] };
    const recognised = event(2, { ...github, payloadRaw: '{"type":"no"}' });
    await server.services.imports.add(id, [
      bare,
      { ...bare, receivedAt: bare.receivedAt + 1, eventType: null },
      recognised,
    ]);
    const { events } = await ada.json<{ events: { payloadPreview: string; eventType: string | null }[] }>(
      200,
      'GET',
      `/api/events?endpointId=${id}`,
    );
    expect(new Set(events.map(({ payloadPreview, eventType }) => `${payloadPreview} ${eventType}`))).toEqual(
      new Set(['{"type":"order.created"} order.created', '{"type":"order.created"} null', '{"type":"no"} push']),
    );
  });
});
