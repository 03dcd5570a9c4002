import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Client } from '@libsql/client';
import { createSealer } from '../core/secrets/seal.ts';
import { openTestServer, randomBytes, type TestServer } from '../testing/test-server.ts';
import { checkSecret, readSecretProof, SecretError } from './secret-check.ts';

let server: TestServer;
let client: Client;
beforeEach(async () => {
  server = await openTestServer();
  client = server.services.database.client;
  await client.execute("DELETE FROM meta WHERE name = 'secret-check'");
});
afterEach(() => server.close());

const sealer = (secret: string) => createSealer(secret, randomBytes);
const refusal = (database: Client) => checkSecret(database, sealer('second')).catch(error => error);

test('the first secret stores a proof, and another secret is refused afterwards', async () => {
  expect(await readSecretProof(client)).toBeUndefined();
  await checkSecret(client, sealer('first'));
  const proof = await readSecretProof(client);
  await checkSecret(client, sealer('first'));
  expect(await refusal(client)).toBeInstanceOf(SecretError);
  expect(await readSecretProof(client)).toEqual(proof as Uint8Array);
});

test('when several processes start at once on an empty database, the first one’s proof is kept', async () => {
  // A process that has read before the first one wrote.
  const racing = {
    execute: async () => ({ rows: [] }),
    batch: (...batch: Parameters<Client['batch']>) => client.batch(...batch),
  } as unknown as Client;
  await checkSecret(client, sealer('first'));
  const proof = await readSecretProof(client);
  expect(await refusal(racing)).toBeInstanceOf(SecretError);
  await checkSecret(racing, sealer('first'));
  expect(await readSecretProof(client)).toEqual(proof as Uint8Array);
});
