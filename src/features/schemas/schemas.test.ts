import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
});
afterAll(() => server.close());

type Listed = { platform: string | null; type: string | null; count: number };
const github = (event: string) => ({ headers: { 'content-type': 'application/json', 'x-github-event': event } });
test('list', async () => {
  const endpoint = await ada.createEndpoint();
  await server.deliver(endpoint, '{"a":1}', github('push'));
  console.log(await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}/schemas`));
  console.log(await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}/schemas/push`));
  console.log(await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}/schemas/changes`));
  console.log(await (await ada.call('GET', `/api/endpoints/${endpoint.id}/schemas/push?as=zod`)).text());
  console.log(await (await ada.call('GET', `/api/endpoints/${endpoint.id}/schemas/%63hanges?as=zod`)).text());
  console.log(await (await ada.call('GET', `/api/endpoints/${endpoint.id}/schemas/push?as=xml`)).text());
  console.log(server.lines);
});
