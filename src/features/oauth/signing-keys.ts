/*
 * The keys that sign access tokens: ES256, sealed at rest, rotated every 90 days. A key is published before it signs, and
 * stays published as long as a token that it signed can be valid.
 */
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Clock } from '../../core/clock.ts';
import type { Sealer } from '../../core/secrets/seal.ts';
import type { SigningKeyRow, SigningKeysStore } from './signing-keys-store.ts';

export type Jwks = { keys: JWK[] };
type ActiveKey = { kid: string; key: CryptoKey | Uint8Array };

export type SigningKeys = ReturnType<typeof createSigningKeys>;

const alg = 'ES256';
const rotateEveryMs = 90 * 24 * 3_600_000;
/** Clients may cache `/jwks` for five minutes, and some keep it for ten. */
const publishBeforeMs = 15 * 60_000;
const reloadCooldownMs = 5000;
const retiredMarginMs = 5 * 60_000;

const sealContext = (kid: string): string => `signing-key:${kid}`;

async function generateKey(
  sealer: Sealer,
  times: Pick<SigningKeyRow, 'createdAt' | 'activateAt'>,
  state: 'active' | 'next',
): Promise<SigningKeyRow> {
  const pair = await generateKeyPair(alg, { extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const privateJwk = await exportJWK(pair.privateKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  return {
    kid,
    alg,
    publicJwk: JSON.stringify({ ...publicJwk, kid, alg, use: 'sig' }),
    sealed: Buffer.from(sealer.seal(JSON.stringify(privateJwk), sealContext(kid))),
    state,
    ...times,
    deleteAt: null,
  };
}

async function unsealKey(sealer: Sealer, row: SigningKeyRow): Promise<ActiveKey> {
  const text = sealer.open(row.sealed, sealContext(row.kid));
  if (text === undefined)
    throw new Error(`signing key ${row.kid} cannot be opened: it was sealed with another HOOKTAPE_SECRET`);
  return { kid: row.kid, key: await importJWK(JSON.parse(text) as JWK, alg) };
}

/** @param tokenMs how long a token is valid after it was signed */
export function createSigningKeys(options: { store: SigningKeysStore; sealer: Sealer; clock: Clock; tokenMs: number }) {
  const { store, sealer, clock, tokenMs } = options;
  const keepRetiredMs = tokenMs + retiredMarginMs;
  let rows: SigningKeyRow[] = [];
  let active: ActiveKey | undefined;
  let jwks: Jwks = { keys: [] };
  let loadedAt = Number.NEGATIVE_INFINITY;

  const findRow = (state: SigningKeyRow['state']) => rows.find(row => row.state === state);

  const load = async (): Promise<void> => {
    loadedAt = clock.monotonic();
    rows = await store.all();
    const row = findRow('active');
    if (row && row.kid !== active?.kid) active = await unsealKey(sealer, row);
    jwks = { keys: rows.map(row => JSON.parse(row.publicJwk) as JWK) };
  };

  const create = async (state: 'active' | 'next', activateAt: number): Promise<void> =>
    store.insertIfAbsent(await generateKey(sealer, { createdAt: clock.now(), activateAt }, state));

  return {
    /** The public keys, as `/jwks` shows them. The same object until they change. */
    jwks: (): Jwks => jwks,

    /** The key that signs. @throws before the first `maintain` */
    activeKey: (): ActiveKey => {
      if (!active) throw new Error('there is no active signing key');
      return active;
    },

    /** Loads the keys, and creates, activates and deletes keys that are due. @throws if a key cannot be decrypted */
    async maintain(): Promise<void> {
      await load();
      const now = clock.now();
      const next = findRow('next');
      const current = findRow('active');
      if (!current) await create('active', now);
      else if (next && next.activateAt <= now) await store.activate(next.kid, now + keepRetiredMs);
      else if (!next && current.activateAt + rotateEveryMs - publishBeforeMs <= now)
        await create('next', now + publishBeforeMs);
      else if (!findRow('retired')) return;
      await store.deleteRetired(now);
      await load();
    },

    /** Loads keys that another process may have created, at most every five seconds. @returns whether it did */
    async reload(): Promise<boolean> {
      if (clock.monotonic() - loadedAt < reloadCooldownMs) return false;
      await load();
      return true;
    },

    /** Publishes a new key now, which signs in 15 minutes, when every cache has it. */
    async scheduleRotation(): Promise<void> {
      await create('next', clock.now() + publishBeforeMs);
      await load();
    },

    /** Signs with a new key from now on. @param revoke whether tokens that the old key signed are rejected at once */
    async rotateNow({ revoke = false } = {}): Promise<void> {
      await load();
      const now = clock.now();
      if (!findRow('next')) await create('next', now);
      await load();
      const next = findRow('next');
      if (next) await store.activate(next.kid, revoke ? now : now + keepRetiredMs);
      await store.deleteRetired(now);
      await load();
    },
  };
}
