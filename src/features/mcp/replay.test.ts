import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { callTool, type ToolResult } from '../../testing/mcp.ts';
import { type OAuthHarness, openOAuthHarness, type SignedInAccount } from '../../testing/oauth-harness.ts';
import { closePeers, ok, peer } from '../../testing/raw-destination.ts';

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
  test('sends only to destinations that a person has used for this endpoint before', async () => {
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

  test('sends to destinations that the operator allows', async () => {
    const listener = await peer(ok, '127.0.0.2');
    const id = await harness.server.deliver(await ada.createEndpoint('operated'));
    const result = await replay(id, `http://127.0.0.2:${listener.port}/any/path`);
    expect(result.structuredContent).toMatchObject({ ok: true });
    expect((await replay(id, 'http://opened.localhost:8081/')).content[0]?.text).toContain('person');
    expect((await replay(id, 'http://opened.localhost:8080/')).content[0]?.text ?? '').not.toContain('person');
  });

  test('answers for an event of another team as for a missing one', async () => {
    const bob = await harness.createAccount('bob@example.com');
    const id = await harness.server.deliver(await bob.createEndpoint());
    expect((await replay(id, 'http://127.0.0.2/')).content[0]?.text).toBe('event not found');
  });
});
