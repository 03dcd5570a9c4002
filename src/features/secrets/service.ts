/*
 * Signing secrets: sealed at rest, opened once into memory, because every delivery and every verdict needs them. Several
 * may be registered for one endpoint (rotation, or a verify token beside an app secret).
 */
import type { Clock } from '../../core/clock.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { newId, type RandomBytes } from '../../core/ids.ts';
import type { SigningSecret } from '../../core/platforms/model.ts';
import { findPlatform } from '../../core/platforms/platforms.ts';
import { readSecret } from '../../core/platforms/secrets.ts';
import { type Sealer, sealPurpose } from '../../core/seal.ts';
import type { Secret } from './model.ts';
import type { SecretRow, SecretsStore } from './store.ts';

const maxSecretsPerEndpoint = 20;
/** Of a shorter secret, four characters would give away too much. */
const shortestShown = 8;

type Owner = { teamId: string };
type Opened = SigningSecret & { id: string };

export type SecretsService = ReturnType<typeof createSecretsService>;

export function createSecretsService(options: {
  store: SecretsStore;
  sealer: Sealer;
  clock: Clock;
  random: RandomBytes;
  /** @throws not_found */
  endpoint: (owner: Owner, id: string) => Promise<{ seq: number }>;
  onUnreadable: (secretId: string) => void;
}) {
  const { store, sealer, clock, random, endpoint: findEndpoint, onUnreadable } = options;
  let byEndpoint = new Map<number, Opened[]>();
  const none: readonly SigningSecret[] = [];

  const toSecret = ({ id, platform, last4, createdAt }: SecretRow): Secret => ({ id, platform, last4, createdAt });

  const remember = (endpoint: number, opened: Opened): void => {
    byEndpoint.set(endpoint, [...(byEndpoint.get(endpoint) ?? []), opened]);
  };

  const sealedRow = (endpoint: number, platform: string | null, secret: string): SecretRow => {
    const createdAt = clock.now();
    const id = newId('sec', createdAt, random);
    const sealed = Buffer.from(sealer.seal(secret, sealPurpose.signingSecret(id)));
    const last4 = secret.length >= shortestShown ? secret.slice(-4) : '';
    return { id, endpoint, platform, sealed, last4, createdAt };
  };

  return {
    /** The secrets to judge this endpoint's deliveries with, oldest first; from memory. */
    secretsOf: (endpoint: number): readonly SigningSecret[] => byEndpoint.get(endpoint) ?? none,

    /** Reads all of them anew: at the start, and when another process may have changed them. */
    async refresh(): Promise<void> {
      const fresh = new Map<number, Opened[]>();
      for (const { id, endpoint, platform, sealed } of await store.all()) {
        const secret = sealer.open(sealed, sealPurpose.signingSecret(id));
        if (secret === undefined) onUnreadable(id);
        else fresh.set(endpoint, [...(fresh.get(endpoint) ?? []), { id, platform, secret }]);
      }
      byEndpoint = fresh;
    },

    /** @throws not_found for the endpoint */
    async list(owner: Owner, endpointId: string): Promise<Secret[]> {
      const { seq } = await findEndpoint(owner, endpointId);
      return (await store.listOf(seq)).map(toSecret);
    },

    /** @throws not_found for the endpoint; invalid for what cannot be a secret of that platform */
    async add(owner: Owner, endpointId: string, given: { platform: string | null; secret: string }): Promise<Secret> {
      const { seq } = await findEndpoint(owner, endpointId);
      const read = readSecret(given.platform, given.secret);
      if ('error' in read) throw invalid(read.error);
      const platform = given.platform === null ? null : (findPlatform(given.platform)?.name ?? null);
      const row = sealedRow(seq, platform, read.secret);
      if (!(await store.insertWithin(maxSecretsPerEndpoint, row)))
        throw invalid(`an endpoint has at most ${maxSecretsPerEndpoint} secrets`);
      remember(seq, { id: row.id, platform, secret: read.secret });
      return toSecret(row);
    },

    /** Registers what a handshake delivered, unless this endpoint already has a secret of that platform. */
    async learn(endpoint: number, learned: { platform: string; secret: string }): Promise<void> {
      const row = sealedRow(endpoint, learned.platform, learned.secret);
      if (await store.insertFirst(row)) remember(endpoint, { id: row.id, ...learned });
    },

    /** @throws not_found for the endpoint or the secret */
    async remove(owner: Owner, endpointId: string, id: string): Promise<void> {
      const { seq } = await findEndpoint(owner, endpointId);
      if (!(await store.remove(seq, id))) throw notFound('secret');
      byEndpoint.set(
        seq,
        (byEndpoint.get(seq) ?? []).filter(secret => secret.id !== id),
      );
    },
  };
}
