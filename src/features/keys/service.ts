/*
 * API keys: `htk_` and 256 random bits, shown once and stored as SHA-256. A key is looked up for every request, so revoking it
 * is immediate, and so is its expiry. A key that a connected app created has no more permissions than the app, and ends with the
 * app's grant. Each route declares whether a read-only key may call it.
 */

import { timingSafeEqual } from 'node:crypto';
import { hashOf } from '../../core/access/credential-hash.ts';
import { type CredentialIndex, indexId } from '../../core/access/credential-index.ts';
import { createLastUseRecorder } from '../../core/access/last-use.ts';
import type { ActingApp } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { inField, invalidAt, limitReached, notFound, unauthorized } from '../../core/errors.ts';
import { newApiKey, newId, type RandomBytes } from '../../core/ids/ids.ts';
import { readName } from '../../core/text.ts';
import { maxKeyExpiryMs, maxKeysPerAccount } from '../../shared/limits.ts';
import { parseDuration } from '../../shared/units.ts';
import type { ApiKey, ApiKeyInput, CreatedApiKey } from './model.ts';
import type { AuthenticatedKey, KeysStore } from './store.ts';

const toApp = (id: string | null, name: string | null): ApiKey['app'] =>
  id === null ? null : { id, name: name ?? '' };

type NewKeyOptions = Omit<ApiKeyInput, 'name'> & { createdBy?: ActingApp | undefined };

export type KeysService = ReturnType<typeof createKeysService>;

const keyPattern = /^htk_[0-9a-hjkmnp-tv-z]{52}$/;

export function createKeysService(options: {
  store: KeysStore;
  clock: Clock;
  random: RandomBytes;
  /** The hashes of the keys that exist. */
  index: CredentialIndex;
  /** Called after a key was revoked. */
  onAccessEnded: () => void;
}) {
  const { store, clock, random, index, onAccessEnded } = options;
  const lastUses = createLastUseRecorder(clock, store.writeLastUses);

  return {
    async list(accountId: string): Promise<ApiKey[]> {
      return (await store.listOf(accountId)).map(({ appId, appName, isReadOnly, ...key }) => ({
        ...key,
        lastUsedAt: lastUses.pending(key.id) ?? key.lastUsedAt,
        app: toApp(appId, appName),
        readOnly: isReadOnly,
      }));
    },

    /**
     * @param options `createdBy` is the app that makes the request; undefined for a person
     * @throws invalid for the name or the expiry, limit_reached when the account has 10 keys, unauthorized when the account was deleted or
     * the app disconnected in the meantime
     */
    async create(
      accountId: string,
      givenName: string,
      { createdBy, readOnly: isReadOnly = false, ...expiry }: NewKeyOptions = {},
    ): Promise<CreatedApiKey> {
      const name = inField(['name'], () => readName(givenName));
      const createdAt = clock.now();
      const expiresAt = readExpiry(expiry, createdAt);
      const key = newApiKey(random);
      const hash = hashOf(key);
      const id = newId('key', createdAt, random);
      const last4 = key.slice(-4);
      const row = { id, accountId, name, hash, last4, createdAt, expiresAt, isReadOnly };
      const outcome = await store.insertWithinLimit(maxKeysPerAccount, row, createdBy, createdAt);
      if (outcome === 'gone') throw unauthorized();
      if (outcome === 'full')
        throw limitReached(
          `an account has at most ${maxKeysPerAccount} API keys, expired ones included: revoke one first`,
        );
      index.add(indexId(hash));
      const { appId, appName } = outcome;
      const app = toApp(appId, appName);
      return { id, name, last4, createdAt, lastUsedAt: null, app, expiresAt, readOnly: isReadOnly, key };
    },

    /** @throws not_found for a key that does not exist or is another account's */
    async revoke(accountId: string, id: string): Promise<void> {
      if (!(await store.remove(accountId, id))) throw notFound('key');
      onAccessEnded();
    },

    /** Revokes all keys of the account. @returns how many there were */
    revokeAll: (accountId: string): Promise<number> => store.removeAll(accountId),

    /** For the operator: revokes a key of any account. @throws not_found */
    async revokeById(id: string): Promise<void> {
      if (!(await store.removeById(id))) throw notFound('key');
      onAccessEnded();
    },

    /** The account of a valid key; undefined if it is malformed, unknown, expired or revoked. Records the use. */
    async authenticate(key: string): Promise<AuthenticatedKey | undefined> {
      if (!keyPattern.test(key)) return undefined;
      const hash = hashOf(key);
      if (!(await index.mayExist(indexId(hash)))) return undefined;
      const found = await store.findByHash(hash, clock.now());
      if (!found || !timingSafeEqual(found.hash, hash)) return undefined;
      lastUses.record(found.keyId);
      return found;
    },

    /** Writes the recorded uses. Called at intervals, and before the database closes. */
    flushUses: lastUses.flush,
  };
}

/** Epoch ms; null if the key does not expire. @throws invalid */
function readExpiry(
  { expiresAt, expiresIn }: Pick<ApiKeyInput, 'expiresAt' | 'expiresIn'>,
  now: number,
): number | null {
  if (typeof expiresAt === 'number' && typeof expiresIn === 'string')
    throw invalidAt(
      ['expiresAt'],
      'give either expiresAt or expiresIn, not both',
      'give either expiresAt or expiresIn, not both',
    );
  if (typeof expiresIn === 'string') {
    const ms = parseDuration(expiresIn);
    if (!ms || ms > maxKeyExpiryMs) throw invalidAt(['expiresIn'], 'must be a duration such as 90d, at most 3650d');
    return now + ms;
  }
  if (typeof expiresAt !== 'number') return null;
  if (expiresAt <= now) throw invalidAt(['expiresAt'], 'must be in the future');
  if (expiresAt > now + maxKeyExpiryMs) throw invalidAt(['expiresAt'], 'must be at most 3650 days ahead');
  return expiresAt;
}
