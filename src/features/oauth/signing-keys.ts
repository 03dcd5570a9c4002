/*
 * The keys that access tokens are signed with: ES256, sealed at rest, published before they are used and for as long as a
 * token that they signed can live, replaced every 90 days.
 */
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Clock } from '../../core/clock.ts';
import type { Sealer } from '../../core/seal.ts';
import type { SigningKeyRow, SigningKeysStore } from './signing-keys-store.ts';

export type PublicKeys = { keys: JWK[] };
type Active = { kid: string; key: CryptoKey | Uint8Array };

export type SigningKeys = ReturnType<typeof createSigningKeys>;

const alg = 'ES256';
const rotateEveryMs = 90 * 24 * 3_600_000;
/** Caches of others hold the published keys for ten minutes, and are told five. */
const publishBeforeMs = 15 * 60_000;
const reloadCooldownMs = 5000;

/** @param tokenMs how long a token may be used after it was signed */
export function createSigningKeys(options: { store: SigningKeysStore; sealer: Sealer; clock: Clock; tokenMs: number }) {
  const { store, sealer, clock, tokenMs } = options;
  const keepMs = tokenMs + 5 * 60_000;
  let rows: SigningKeyRow[] = [];
  let active: Active | undefined;
  let published: PublicKeys = { keys: [] };
  let loadedAt = Number.NEGATIVE_INFINITY;

  const open = async (row: SigningKeyRow): Promise<Active> => {
    const text = sealer.open(row.sealed, `signing-key:${row.kid}`);
    if (text === undefined)
      throw new Error(`signing key ${row.kid} cannot be opened: HOOKTAPE_SECRET is not the one it was sealed with`);
    return { kid: row.kid, key: await importJWK(JSON.parse(text) as JWK, alg) };
  };

  const load = async (): Promise<void> => {
    loadedAt = clock.monotonic();
    rows = await store.all();
    const current = rows.find(({ state }) => state === 'active');
    if (current && current.kid !== active?.kid) active = await open(current);
    published = { keys: rows.map(row => JSON.parse(row.publicJwk) as JWK) };
  };

  const make = async (state: 'active' | 'next', activateAt: number): Promise<void> => {
    const pair = await generateKeyPair(alg, { extractable: true });
    const bare = await exportJWK(pair.publicKey);
    const kid = await calculateJwkThumbprint(bare);
    await store.insertUnlessThere({
      kid,
      alg,
      publicJwk: JSON.stringify({ ...bare, kid, alg, use: 'sig' }),
      sealed: Buffer.from(sealer.seal(JSON.stringify(await exportJWK(pair.privateKey)), `signing-key:${kid}`)),
      state,
      createdAt: clock.now(),
      activateAt,
      deleteAt: null,
    });
  };

  const tick = async (): Promise<void> => {
    await load();
    const now = clock.now();
    const next = rows.find(({ state }) => state === 'next');
    const current = rows.find(({ state }) => state === 'active');
    if (!current) await make('active', now);
    else if (next && next.activateAt <= now) await store.promote(next.kid, now + keepMs);
    else if (!next && current.activateAt + rotateEveryMs - publishBeforeMs <= now)
      await make('next', now + publishBeforeMs);
    else if (!rows.some(({ state }) => state === 'retired')) return;
    await store.removeRetired(now);
    await load();
  };

  return {
    /** Takes the steps that are due. Called before all else, and now and then. @throws when a stored key cannot be opened */
    tick,
    /** What `/jwks` shows, and what our own tokens are verified with. */
    published: (): PublicKeys => published,

    /** @throws when there is none, which `tick` repairs */
    signer: (): Active => {
      if (!active) throw new Error('there is no active signing key');
      return active;
    },

    /** Another process may have made a key: looks again, at most every five seconds. */
    async lookAgain(): Promise<boolean> {
      if (clock.monotonic() - loadedAt < reloadCooldownMs) return false;
      await load();
      return true;
    },

    /** A new key is published now and signs in a quarter of an hour, when every cache has it. */
    async rotateSoon(): Promise<void> {
      await make('next', clock.now() + publishBeforeMs);
      await load();
    },

    /** A new key signs from now on. `revoke`: what the old one signed is worth nothing any more. */
    async rotateNow({ revoke = false } = {}): Promise<void> {
      await load();
      const now = clock.now();
      if (!rows.some(({ state }) => state === 'next')) await make('next', now);
      await load();
      const next = rows.find(({ state }) => state === 'next');
      if (next) await store.promote(next.kid, revoke ? now : now + keepMs);
      await store.removeRetired(now);
      await load();
    },
  };
}
