import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Client } from '@libsql/client';
import { createSealer } from '../core/seal.ts';
import { openTestServer, randomBytes, type TestServer } from '../testing/test-server.ts';
import { checkSecret, readProof, SecretError } from './secret-check.ts';

let server: TestServer;
let client: Client;
beforeEach(async () => {
  server = await openTestServer();
  client = server.services.database.client;
  await client.execute("DELETE FROM meta WHERE name = 'secret-check'");
});
afterEach(() => server.close());

const sealer = (secret: string) => createSealer(secret, randomBytes);
const refusal = (of: Client) => checkSecret(of, sealer('second')).catch(error => error);

test('the first secret leaves its proof, and no other one is taken after it', async () => {
  expect(await readProof(client)).toBeUndefined();
  await checkSecret(client, sealer('first'));
  const proof = await readProof(client);
  await checkSecret(client, sealer('first'));
  expect(await refusal(client)).toBeInstanceOf(SecretError);
  expect(await readProof(client)).toEqual(proof as Uint8Array);
});

test('of several that come at once to an empty database the first one’s proof stays', async () => {
  // What the second one saw before the first one wrote.
  const early = { ...client, execute: async () => ({ rows: [] }) } as unknown as Client;
  await checkSecret(client, sealer('first'));
  const proof = await readProof(client);
  expect(await refusal(early)).toBeInstanceOf(SecretError);
  await checkSecret(early, sealer('first'));
  expect(await readProof(client)).toEqual(proof as Uint8Array);
});
