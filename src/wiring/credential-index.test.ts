import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { indexId } from '../core/access/credential-index.ts';
import { createKeysStore } from '../features/keys/store.ts';
import { createSessionsStore } from '../features/sessions/store.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';
import { createHashIndex } from './credential-index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

const idOf = (credential: string): string => indexId(createHash('sha256').update(credential).digest());

test.each([[false], [true]])('finds stored keys and sessions; database shared: %s', async isShared => {
  const { db } = server.services.database;
  const email = `${isShared}@example.com`;
  const password = 'a good long password';
  const { key } = await server.createAccount(email, { password });
  const client = { userAgent: '', sourceIp: '192.0.2.1', sessionId: undefined };
  const session = await server.services.sessions.signIn({ email, password }, client);
  const keys = createKeysStore(db);
  for (const [store, credential] of [
    [{ hashes: () => keys.hashes(0), existing: (hashes: Buffer[]) => keys.existing(hashes, 0) }, key],
    [createSessionsStore(db), session],
  ] as const) {
    const index = createHashIndex({ isShared, every: () => {} }, 'credentials', store);
    await index.reload();
    expect(await Promise.all([credential, 'invented'].map(one => index.mayExist(idOf(one))))).toEqual([true, false]);
  }
});
