/* The settings and secrets of forwards between their columns and their meaning, for the API and for files that declare them. */

import { eventId, type RandomBytes } from '../../core/ids/ids.ts';
import { isDown, isResting } from '../../core/network/destination-health.ts';
import { pick } from '../../core/pick.ts';
import { type Sealer, sealPurpose } from '../../core/secrets/seal.ts';
import { newWebhookSecret } from '../../core/secrets/standard-webhooks.ts';
import type { ForwardSettings } from '../../shared/forwards.ts';
import type { Forward, ForwardDelivery } from './model.ts';
import type { DeliveryRow, ForwardRow, ItemCounts } from './store.ts';

export type ForwardColumns = ReturnType<typeof createForwardColumns>;

/** The secret with which a forward signs, and the one before, with which it also signs until then, epoch ms. */
type SigningSecrets = { secret: string; before?: { secret: string; until: number } };

/** How long a replaced secret still signs. */
const overlapMs = 24 * 3_600_000;

export function createForwardColumns(sealer: Sealer, random: RandomBytes) {
  /** Undefined if they cannot be decrypted, because the secret of the server has changed. */
  const openHeaders = ({ id, headers }: Pick<ForwardRow, 'id' | 'headers'>): [string, string][] | undefined => {
    const text = sealer.open(headers, sealPurpose.forward(id));
    return text === undefined ? undefined : (JSON.parse(text) as [string, string][]);
  };
  const openSecrets = ({ id, secret }: Pick<ForwardRow, 'id' | 'secret'>): SigningSecrets | undefined => {
    const text = secret === null ? undefined : sealer.open(secret, sealPurpose.forwardSecret(id));
    return text === undefined ? undefined : (JSON.parse(text) as SigningSecrets);
  };
  return {
    openHeaders,
    settings: (row: ForwardRow): ForwardSettings => toSettings(row, openHeaders(row) ?? []),
    columns: (id: string, { where, orderBy, headers, ...settings }: ForwardSettings) => ({
      ...settings,
      name: Buffer.from(settings.name),
      url: Buffer.from(settings.url),
      filter: Buffer.from(where),
      orderBy: orderBy === null ? null : Buffer.from(orderBy),
      headers: Buffer.from(sealer.seal(JSON.stringify(headers), sealPurpose.forward(id))),
    }),

    /** The secrets that sign now, the newest first; undefined without secrets, or if they cannot be decrypted. */
    secretsAt(row: Pick<ForwardRow, 'id' | 'secret'>, now: number): string[] | undefined {
      const secrets = openSecrets(row);
      const { secret, before } = secrets ?? {};
      return secret === undefined ? undefined : [secret, ...(before && before.until > now ? [before.secret] : [])];
    },

    /** A new secret, also as the column. The present one is kept as the one before. */
    newSecret(row: Pick<ForwardRow, 'id' | 'secret'>, now: number): { text: string; column: Buffer } {
      const known = openSecrets(row);
      const secrets: SigningSecrets = {
        secret: newWebhookSecret(random),
        ...(known && { before: { secret: known.secret, until: now + overlapMs } }),
      };
      const sealed = sealer.seal(JSON.stringify(secrets), sealPurpose.forwardSecret(row.id));
      return { text: secrets.secret, column: Buffer.from(sealed) };
    },
  };
}

export const toSettings = (row: ForwardRow, headers: [string, string][]): ForwardSettings => ({
  name: row.name.toString(),
  url: row.url.toString(),
  where: row.filter.toString(),
  orderBy: row.orderBy?.toString() ?? null,
  headers,
  ...pick(row, 'mode', 'request', 'sign', 'timeoutS', 'retry', 'per', 'enabled'),
});

export const toForward = (
  row: ForwardRow,
  settings: ForwardSettings,
  { oldestAt, ...counts }: ItemCounts,
  now: number,
): Forward => ({
  ...pick(row, 'id', 'failingSince', 'createdAt'),
  ...settings,
  ...counts,
  lagS: oldestAt === null ? 0 : Math.max(0, Math.floor((now - oldestAt) / 1000)),
  state: !row.enabled ? 'paused' : isDown(row) ? 'probing' : 'ok',
  probeAt: isDown(row) || isResting(row, now) ? row.probeAt : null,
});

export const toDelivery = (row: DeliveryRow): ForwardDelivery => ({
  eventId: eventId(row.event ?? 0, row.nonce ?? Buffer.alloc(12)),
  ...pick(row, 'eventType', 'platform', 'receivedAt', 'attempts'),
  state: row.outcome !== null ? 'given_up' : row.attempts > 0 ? 'failed' : 'waiting',
  nextAt: row.dueAt,
  lastStatus: row.status,
  lastError: row.error,
});
