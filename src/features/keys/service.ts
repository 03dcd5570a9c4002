/*
 * API keys: 256 random bits behind `htk_`, shown once, kept as SHA-256. A key is looked up for every request, so revoking
 * it is immediate; when it was used is kept in memory and written now and then.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { limitReached, notFound, unauthorized } from '../../core/errors.ts';
import { newApiKey, newId, type RandomBytes } from '../../core/ids.ts';
import { maxKeysPerAccount } from '../../core/limits.ts';
import { readName } from '../../core/text.ts';
import type { ApiKey, CreatedApiKey } from './model.ts';
import type { KeyHolder, KeysStore } from './store.ts';

export type KeysService = ReturnType<typeof createKeysService>;

const keyForm = /^htk_[0-9a-hjkmnp-tv-z]{52}$/;

export function createKeysService(options: {
  store: KeysStore;
  clock: Clock;
  random: RandomBytes;
  sha256: (bytes: Uint8Array) => Uint8Array;
  /** Called after a key was revoked. */
  onAccessEnded: () => void;
}) {
  const { store, clock, random, sha256, onAccessEnded } = options;
  const unwritten = new Map<string, number>();
  const hashOf = (key: string): Buffer => Buffer.from(sha256(Buffer.from(key)));

  const flushUses = async (): Promise<void> => {
    const uses = new Map(unwritten);
    await store.recordUse(uses);
    for (const [id, at] of uses) if (unwritten.get(id) === at) unwritten.delete(id);
  };

  return {
    async list(accountId: string): Promise<ApiKey[]> {
      return (await store.listOf(accountId)).map(({ id, name, last4, createdAt, lastUsedAt }) => ({
        id,
        name,
        last4,
        createdAt,
        lastUsedAt: unwritten.get(id) ?? lastUsedAt,
      }));
    },

    /** @throws invalid for the name, limit_reached when the account has 10 keys, unauthorized when it was deleted meanwhile */
    async create(accountId: string, givenName: string): Promise<CreatedApiKey> {
      const name = readName(givenName);
      const key = newApiKey(random);
      const createdAt = clock.now();
      const id = newId('key', createdAt, random);
      const last4 = key.slice(-4);
      const outcome = await store.insertWithin(maxKeysPerAccount, {
        id,
        accountId,
        name,
        hash: hashOf(key),
        last4,
        createdAt,
      });
      if (outcome === 'gone') throw unauthorized();
      if (outcome === 'full') throw limitReached(`an account has at most ${maxKeysPerAccount} API keys`);
      return { id, name, last4, createdAt, lastUsedAt: null, key };
    },

    /** @throws not_found for a key that does not exist or is another account's */
    async revoke(accountId: string, id: string): Promise<void> {
      if (!(await store.remove(accountId, id))) throw notFound('key');
      onAccessEnded();
    },

    /** For the operator: whoever's key it is. @throws not_found */
    async revokeAny(id: string): Promise<void> {
      if (!(await store.removeById(id))) throw notFound('key');
      onAccessEnded();
    },

    /** Whose key this is; undefined for one that is malformed, unknown or revoked. Notes the use. */
    async holderOf(key: string): Promise<KeyHolder | undefined> {
      if (!keyForm.test(key)) return undefined;
      const hash = hashOf(key);
      const holder = await store.holderOf(hash);
      if (!holder || !timingSafeEqual(holder.hash, hash)) return undefined;
      unwritten.set(holder.keyId, clock.now());
      return holder;
    },

    /** Writes the noted uses. Called now and then, and before the database closes. */
    flushUses,
  };
}
