import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { callTool, type ToolResult } from '../../testing/mcp.ts';
import { type OAuthHarness, openOAuthHarness, type SignedInAccount } from '../../testing/oauth-harness.ts';
import { closePeers, ok, peer } from '../../testing/raw-destination.ts';
import { createArrivals } from './arrivals.ts';

let harness: OAuthHarness;
let ada: SignedInAccount;

beforeAll(async () => {
  harness = await openOAuthHarness({
    env: { HOOKTAPE_BASE_URL: 'http://localhost:4665', HOOKTAPE_REPLAY_ALLOW: '127.0.0.2,opened.localhost:8080' },
  });
  ada = await harness.createAccount('ada@example.com');
});
afterEach(closePeers);
afterAll(() => harness.close());

const replay = (eventId: string, url: string): Promise<ToolResult> =>
  callTool(harness.fetch, ada.key, 'replay_event', { eventId, url });

describe('replay_event', () => {
  test('reaches only where a person has sent events of this endpoint before', async () => {
    const listener = await peer(ok);
    const url = `http://127.0.0.1:${listener.port}/hook`;
    const endpoint = await ada.createEndpoint();
    const other = await ada.createEndpoint('other');
    const id = await harness.server.deliver(endpoint);
    const elsewhere = await harness.server.deliver(other);
    const refused = await replay(id, url);
    expect([refused.isError, refused.content[0]?.text]).toEqual([true, expect.stringContaining('person')]);
    expect(listener.connects()).toBe(0);

    await ada.json(200, 'POST', `/api/events/${id}/replay`, { url });
    expect((await replay(id, url)).structuredContent).toMatchObject({ ok: true, status: 200, responsePreview: 'hi' });
    expect(listener.connects()).toBe(2);
    for (const [event, target] of [
      [elsewhere, url],
      [id, `${url}/exfiltrate`],
      [id, `${url}?secret=x`],
      [id, url.replace('127.0.0.1', 'localhost')],
      [id, 'file:///etc/passwd'],
      [id, 'not a url'],
    ] as const)
      expect([target, (await replay(event, target)).isError]).toEqual([target, true]);
    expect(listener.connects()).toBe(2);
  });

  test('or where the operator allows it', async () => {
    const listener = await peer(ok, '127.0.0.2');
    const id = await harness.server.deliver(await ada.createEndpoint('operated'));
    const result = await replay(id, `http://127.0.0.2:${listener.port}/any/path`);
    expect(result.structuredContent).toMatchObject({ ok: true });
    expect((await replay(id, 'http://opened.localhost:8081/')).content[0]?.text).toContain('person');
    expect((await replay(id, 'http://opened.localhost:8080/')).content[0]?.text ?? '').not.toContain('person');
  });

  test("somebody else's event does not exist", async () => {
    const bob = await harness.createAccount('bob@example.com');
    const id = await harness.server.deliver(await bob.createEndpoint());
    expect((await replay(id, 'http://127.0.0.2/')).content[0]?.text).toBe('event not found');
  });
});

describe('arrivals', () => {
  test('what comes between two waits is not missed, and what is for others wakes nobody', async () => {
    const arrivals = createArrivals();
    const waiter = arrivals.open(1);
    arrivals.recorded({ endpoint: 2 });
    expect(await waiter.next(1)).toBe('timeout');
    arrivals.recorded({ endpoint: 1 });
    expect(await waiter.next(60_000)).toBe('delivery');
    expect(await waiter.next(1)).toBe('timeout');
    waiter.close();
    expect(arrivals.waiting()).toBe(0);
  });
  test('a wait ends with its signal, and all end with the server', async () => {
    const arrivals = createArrivals();
    const gone = new AbortController();
    const [one, two] = [arrivals.open(1), arrivals.open(1)];
    const waits = [one.next(60_000, gone.signal), two.next(60_000)];
    gone.abort();
    expect(await waits[0]).toBe('timeout');
    arrivals.endAll();
    expect(await waits[1]).toBe('timeout');
    expect(await two.next(60_000)).toBe('timeout');
  });
  test('a request to recheck wakes everybody once, also between two waits', async () => {
    const arrivals = createArrivals();
    const [one, two] = [arrivals.open(1), arrivals.open(2)];
    const waiting = one.next(60_000);
    arrivals.recheckAll();
    expect(await waiting).toBe('recheck');
    expect(await two.next(60_000)).toBe('recheck');
    expect(await two.next(1)).toBe('timeout');
  });
});
