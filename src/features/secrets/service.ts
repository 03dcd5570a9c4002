/*
 * Signing secrets: encrypted in the database, and decrypted in memory, because every delivery and every verdict needs them. An
 * endpoint may have several (rotation, or a verify token beside an app secret).
 */

import { requireUser } from '../../core/access/permissions.ts';
import type { Principal } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { inField, invalid, invalidAt, notFound } from '../../core/errors.ts';
import { newId, type RandomBytes } from '../../core/ids/ids.ts';
import { maxOriginCharacters } from '../../core/limits.ts';
import { type Sealer, sealPurpose } from '../../core/secrets/seal.ts';
import type { SigningSecret } from '../../platforms/engine/model.ts';
import { findPlatform, parseSecret } from '../../platforms/platforms.ts';
import { createLearnSecret, type OpenedSecret } from './learning.ts';
import type { Secret, SecretChange, SecretList } from './model.ts';
import type { SecretRow, SecretsStore } from './store.ts';
import { createTestSecrets } from './test-secrets.ts';

export const maxConfirmedSecrets = 20;
/** The last four characters of a shorter secret would reveal too much of it. */
const minCharactersToShow = 8;

export type SecretsService = ReturnType<typeof createSecretsService>;

export function createSecretsService(options: {
  store: SecretsStore;
  sealer: Sealer;
  clock: Clock;
  random: RandomBytes;
  /** @throws not_found */
  endpoint: (
    principal: Pick<Principal, 'teamId'>,
    id: string,
  ) => Promise<{ seq: number; learnSecretsUntil: number | null }>;
  onUnreadable: (secretId: string) => void;
}) {
  const { store, sealer, clock, random, endpoint: findEndpoint, onUnreadable } = options;
  const turns = createSemaphore(1);
  // A read of all secrets that began before a change must not undo it.
  let changes = 0;
  let byEndpoint: ReadonlyMap<number, readonly OpenedSecret[]> = new Map();
  const firstRead = Promise.withResolvers<void>();
  const none: readonly OpenedSecret[] = [];
  const secretsOf = (endpoint: number): readonly OpenedSecret[] => byEndpoint.get(endpoint) ?? none;

  const toSecret = ({ id, platform, last4, createdAt, confirmed, maySign, destinations, test }: SecretRow): Secret => ({
    id,
    platform,
    last4,
    createdAt,
    confirmed,
    maySign,
    destinations: [...destinations],
    test,
  });

  const toRow = (
    endpoint: number,
    { platform, secret }: { platform: string | null; secret: string },
    confirmed: boolean,
    test = false,
  ): SecretRow => {
    const createdAt = clock.now();
    const id = newId('sec', createdAt, random);
    const sealed = Buffer.from(sealer.seal(secret, sealPurpose.signingSecret(id)));
    const last4 = secret.length >= minCharactersToShow ? secret.slice(-4) : '';
    return { id, endpoint, platform, sealed, last4, createdAt, confirmed, maySign: false, destinations: [], test };
  };

  /** Leaves out, and reports, secrets that cannot be decrypted. */
  const open = (rows: readonly SecretRow[]): OpenedSecret[] =>
    rows.flatMap(({ id, sealed, confirmed, test, ...row }): OpenedSecret[] => {
      const secret = sealer.open(sealed, sealPurpose.signingSecret(id));
      const { platform, last4, createdAt, maySign, destinations } = row;
      const marks = { ...(!confirmed && { unconfirmed: true as const }), ...(test && { test: true as const }) };
      if (secret !== undefined) return [{ id, platform, secret, last4, createdAt, maySign, destinations, ...marks }];
      onUnreadable(id);
      return [];
    });

  /** Runs changes of one endpoint's secrets one after the other, and reads its secrets again after each. */
  const change = <T>(endpoint: number, work: () => Promise<T>): Promise<T> =>
    turns.run(String(endpoint), async () => {
      try {
        return await work();
      } finally {
        const secrets = open(await store.listOf(endpoint));
        byEndpoint = new Map(byEndpoint).set(endpoint, secrets);
        changes++;
      }
    });

  return {
    /** The endpoint's secrets, oldest first, from memory. */
    secretsOf: secretsOf as (endpoint: number) => readonly SigningSecret[],

    /**
     * Like `secretsOf`, with the fields that decide whether the server may sign with them
     * (features/replays/no-signing-oracle.ts).
     */
    signersOf: secretsOf,

    /** The secrets that existed at a time, without those removed since. @param at epoch ms */
    secretsAt: (endpoint: number, at: number): readonly SigningSecret[] =>
      secretsOf(endpoint).filter(({ createdAt }) => createdAt <= at),

    /** The secrets of all endpoints, once they have been read; a new map after each change. */
    async allSecrets(): Promise<ReadonlyMap<number, readonly OpenedSecret[]>> {
      await firstRead.promise;
      return byEndpoint;
    },

    /** Reads all secrets again: at the start, and when other processes may have changed them. */
    async refresh(): Promise<void> {
      try {
        const before = changes;
        const all = await store.all();
        if (changes !== before) return;
        const rows = new Map<number, SecretRow[]>();
        for (const row of all) rows.set(row.endpoint, [...(rows.get(row.endpoint) ?? []), row]);
        byEndpoint = new Map([...rows].map(([endpoint, own]) => [endpoint, open(own)]));
      } finally {
        // Also after an error: filing waits for it, and the server closes only after filing.
        firstRead.resolve();
      }
    },

    /** @throws not_found for the endpoint */
    async list(principal: Pick<Principal, 'teamId'>, endpointId: string): Promise<SecretList> {
      const { seq, learnSecretsUntil } = await findEndpoint(principal, endpointId);
      return {
        secrets: (await store.listOf(seq)).map(toSecret),
        learnSecretsUntil: (learnSecretsUntil ?? 0) > clock.now() ? learnSecretsUntil : null,
      };
    },

    /** @throws not_found for the endpoint; invalid if it cannot be a secret of that platform */
    async add(
      principal: Pick<Principal, 'teamId'>,
      endpointId: string,
      given: { platform: string | null; secret: string },
    ): Promise<Secret> {
      const { seq } = await findEndpoint(principal, endpointId);
      const read = parseSecret(given.platform, given.secret);
      if ('error' in read) throw invalidAt(['secret'], read.error, read.error);
      const platform = given.platform === null ? null : (findPlatform(given.platform)?.name ?? null);
      const row = toRow(seq, { platform, secret: read.secret }, true);
      if (!(await change(seq, () => store.insertWithin(maxConfirmedSecrets, row)))) throw tooMany();
      return toSecret(row);
    },

    /** Registers a secret that a handshake delivered. */
    learn: createLearnSecret({ store, clock, maxConfirmed: maxConfirmedSecrets, secretsOf, toRow, change }),

    /** A new row, not stored yet. */
    newSecret: (given: { platform: string | null; secret: string }): Omit<SecretRow, 'endpoint'> => {
      const { endpoint: _, ...row } = toRow(0, given, true);
      return row;
    },

    /** Undefined if it cannot be decrypted, which is reported. */
    openSecret: (row: SecretRow): string | undefined => open([row])[0]?.secret,

    /** Reads the secrets of an endpoint again. */
    reread: (endpoint: number): Promise<void> => change(endpoint, async () => {}),

    testSecret: createTestSecrets({ store, secretsOf, toRow, change }),

    /** Confirms a learned secret. @throws not_found for the endpoint or the secret, invalid when there are too many */
    async confirm(principal: Pick<Principal, 'teamId'>, endpointId: string, id: string): Promise<Secret> {
      const { seq } = await findEndpoint(principal, endpointId);
      const isConfirmed = await change(seq, () => store.confirm(seq, id, maxConfirmedSecrets));
      const row = (await store.listOf(seq)).find(secret => secret.id === id);
      if (!row) throw notFound('secret');
      if (!isConfirmed) throw tooMany();
      return toSecret(row);
    },

    /** @throws not_found for the endpoint or the secret, invalid for a destination that is not an origin, forbidden for an app */
    async allowSigning(
      principal: Pick<Principal, 'teamId' | 'app'>,
      endpointId: string,
      id: string,
      { maySign, destinations }: SecretChange,
    ): Promise<Secret> {
      requireUser(principal);
      const { seq } = await findEndpoint(principal, endpointId);
      const set = {
        ...(maySign !== undefined && { maySign }),
        ...(destinations && {
          destinations: [...new Set(destinations.map((one, i) => inField(['destinations', i], () => readOrigin(one))))],
        }),
      };
      if (Object.keys(set).length === 0) throw invalid('give maySign, destinations or both');
      if (!(await change(seq, () => store.change(seq, id, set)))) throw notFound('secret');
      const row = (await store.listOf(seq)).find(one => one.id === id);
      if (!row) throw notFound('secret');
      return toSecret(row);
    },

    /** @throws not_found for the endpoint or the secret */
    async remove(principal: Pick<Principal, 'teamId'>, endpointId: string, id: string): Promise<void> {
      const { seq } = await findEndpoint(principal, endpointId);
      if (!(await change(seq, () => store.remove(seq, id)))) throw notFound('secret');
    },
  };
}

/** An origin as browsers write it, so that it can be compared as text. @throws invalid */
function readOrigin(given: string): string {
  const url = URL.parse(given);
  if (given.length > maxOriginCharacters) throw invalid(`must have at most ${maxOriginCharacters} characters`);
  if (!url || !/^https?:$/.test(url.protocol) || url.origin !== given)
    throw invalid(
      'must be an origin as browsers write it, such as https://staging.example.com or http://10.0.0.5:3000: lower case, no user name, no default port, no path',
    );
  return given;
}

const tooMany = () => invalid(`an endpoint has at most ${maxConfirmedSecrets} confirmed secrets: remove one first`);
