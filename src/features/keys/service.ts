/*
 * API keys: 256 random bits behind `htk_`, shown once, kept as SHA-256. A key is looked up for every request, so revoking
 * it is immediate; when it was used is kept in memory and written now and then. A key that a connected app made may do no
 * more than the app, and ends when the grant that it was made with does.
 */

import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { type CredentialIndex, indexId } from '../../core/credential-index.ts';
import { limitReached, notFound, unauthorized } from '../../core/errors.ts';
import { newApiKey, newId, type RandomBytes } from '../../core/ids.ts';
import { maxKeysPerAccount } from '../../core/limits.ts';
import type { ActingApp } from '../../core/principal.ts';
import { readName } from '../../core/text.ts';
import type { ApiKey, CreatedApiKey } from './model.ts';
import type { KeyHolder, KeysStore } from './store.ts';

const toApp = (id: string | null, name: string | null): ApiKey['app'] =>
  id === null ? null : { id, name: name ?? '' };

export type KeysService = ReturnType<typeof createKeysService>;

const keyForm = /^htk_[0-9a-hjkmnp-tv-z]{52}$/;

export function createKeysService(options: {
  store: KeysStore;
  clock: Clock;
  random: RandomBytes;
  sha256: (bytes: Uint8Array) => Uint8Array;
  /** Which keys exist, by hash. */
  index: CredentialIndex;
  /** Called after a key was revoked. */
  onAccessEnded: () => void;
}) {
  const { store, clock, random, sha256, index, onAccessEnded } = options;
  const unwritten = new Map<string, number>();
  const hashOf = (key: string): Buffer => Buffer.from(sha256(Buffer.from(key)));

  const flushUses = async (): Promise<void> => {
    const uses = new Map(unwritten);
    await store.recordUse(uses);
    for (const [id, at] of uses) if (unwritten.get(id) === at) unwritten.delete(id);
  };

  return {
    async list(accountId: string): Promise<ApiKey[]> {
      return (await store.listOf(accountId)).map(({ id, name, last4, createdAt, lastUsedAt, appId, appName }) => ({
        id,
        name,
        last4,
        createdAt,
        lastUsedAt: unwritten.get(id) ?? lastUsedAt,
        app: toApp(appId, appName),
      }));
    },

    /**
     * @param madeBy the app that asks, by its token or by a key of its own; undefined for a person
     * @throws invalid for the name, limit_reached when the account has 10 keys, unauthorized when the account was deleted or
     * the app disconnected meanwhile
     */
    async create(accountId: string, givenName: string, madeBy?: ActingApp): Promise<CreatedApiKey> {
      const name = readName(givenName);
      const key = newApiKey(random);
      const hash = hashOf(key);
      const createdAt = clock.now();
      const id = newId('key', createdAt, random);
      const last4 = key.slice(-4);
      const row = { id, accountId, name, hash, last4, createdAt };
      const outcome = await store.insertWithin(maxKeysPerAccount, row, madeBy, createdAt);
      if (outcome === 'gone') throw unauthorized();
      if (outcome === 'full') throw limitReached(`an account has at most ${maxKeysPerAccount} API keys`);
      index.add(indexId(hash));
      const { appId, appName } = outcome;
      return { id, name, last4, createdAt, lastUsedAt: null, app: toApp(appId, appName), key };
    },

    /** @throws not_found for a key that does not exist or is another account's */
    async revoke(accountId: string, id: string): Promise<void> {
      if (!(await store.remove(accountId, id))) throw notFound('key');
      onAccessEnded();
    },

    /** Every key of the account. @returns how many there were */
    revokeAllOf: (accountId: string): Promise<number> => store.removeAllOf(accountId),

    /** For the operator: whoever's key it is. @throws not_found */
    async revokeAny(id: string): Promise<void> {
      if (!(await store.removeById(id))) throw notFound('key');
      onAccessEnded();
    },

    /** Whose key this is; undefined for one that is malformed, unknown or revoked. Notes the use. */
    async holderOf(key: string): Promise<KeyHolder | undefined> {
      if (!keyForm.test(key)) return undefined;
      const hash = hashOf(key);
      if (!(await index.mayExist(indexId(hash)))) return undefined;
      const holder = await store.holderOf(hash, clock.now());
      if (!holder || !timingSafeEqual(holder.hash, hash)) return undefined;
      unwritten.set(holder.keyId, clock.now());
      return holder;
    },

    /** Writes the noted uses. Called now and then, and before the database closes. */
    flushUses,
  };
}
