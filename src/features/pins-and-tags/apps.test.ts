/* Connected apps may pin and tag; what makes events go, only people may do. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type OAuthHarness, openOAuthHarness } from '../../testing/oauth-harness.ts';

let harness: OAuthHarness;
beforeAll(async () => {
  harness = await openOAuthHarness();
});
afterAll(() => harness.close());

test('an app pins and tags, and may neither delete events nor change the retention or the guard, also with its own key', async () => {
  const ada = await harness.createAccount('ada@example.com');
  const endpoint = await ada.createEndpoint();
  const id = await harness.server.deliver(endpoint);
  const { access_token: token } = await harness.connect(await harness.register(), ada);
  const callAs = (bearer: string) => (method: string, path: string, body?: object) =>
    harness.fetch(path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const created = (await (await callAs(token)('POST', '/api/keys', { name: 'of the app' })).json()) as { key: string };
  for (const call of [callAs(token), callAs(created.key)]) {
    expect((await call('PUT', `/api/events/${id}/pin`, {})).status).toBe(200);
    expect((await call('PUT', `/api/events/${id}/tags`, { tags: ['a'] })).status).toBe(200);
    for (const [method, path, body] of [
      ['DELETE', `/api/events/${id}`, undefined],
      ['PATCH', `/api/endpoints/${endpoint.id}`, { retention: '1s' }],
      ['PATCH', `/api/endpoints/${endpoint.id}`, { name: 'new', retention: null }],
      ['PATCH', `/api/endpoints/${endpoint.id}`, { guard: null }],
      ['DELETE', `/api/endpoints/${endpoint.id}?pinned=true`, undefined],
    ] as const)
      expect((await call(method, path, body)).status).toBe(403);
    expect((await call('DELETE', `/api/endpoints/${endpoint.id}`)).status).toBe(409);
    expect((await call('DELETE', `/api/events/${id}/pin`)).status).toBe(200);
  }
  expect(await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}`)).toMatchObject({ eventCount: 1, retention: null });
  expect((await ada.call('DELETE', `/api/events/${id}`)).status).toBe(200);
});
