/* The capture journal in the whole program: what must not stop filing. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { nonceBytes } from '../core/ids.ts';
import type { NewEvent } from '../ingest/row-encoder.ts';
import { openTestServer, randomBytes, type TestAccount, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
let account: TestAccount;
beforeEach(async () => {
  server = await openTestServer();
  account = await server.createAccount();
});
afterEach(() => server.close());

const imported = (endpoint: number, method: string): NewEvent => ({
  nonce: randomBytes(nonceBytes),
  endpoint,
  receivedAt: Date.now(),
  method,
  platform: null,
  eventType: null,
  verdict: null,
  sourceIp: '',
  path: '',
  query: null,
  headersJson: '[]',
  body: Buffer.from('x'),
});

test('imported rows that cannot be packed leave no gap for which filing waits', async () => {
  const endpoint = await account.createEndpoint();
  const tooLong = server.services.insertImported([imported(1, 'M'.repeat(20_000))]);
  expect(await tooLong.catch((error: Error) => error.message)).toBe('method is too long');
  const id = await server.deliver(endpoint);
  expect((await account.json(200, 'GET', `/api/events/${id}`))['id']).toBe(id);
});
