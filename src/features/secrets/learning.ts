/*
 * Registers the secrets that handshakes deliver. Any sender can make a handshake, so a learned secret is unconfirmed, unless a
 * person has opened a window: then the next one is confirmed, and the window closes. An endpoint keeps its few newest unconfirmed
 * secrets.
 */
import type { Clock } from '../../core/clock.ts';
import type { SecretRow, SecretsStore } from './store.ts';

export type LearnedSecret = { platform: string; secret: string };

/** A registered secret, decrypted. */
export type OpenedSecret = {
  id: string;
  platform: string | null;
  secret: string;
  last4: string;
  unconfirmed?: true;
  test?: true;
  createdAt: number;
  maySign: boolean;
  destinations: readonly string[];
};

/** The most unconfirmed secrets of an endpoint and platform. */
const maxUnconfirmedSecrets = 3;

export type LearnSecret = (endpoint: number, learned: LearnedSecret) => Promise<void>;

export function createLearnSecret(options: {
  store: Pick<SecretsStore, 'learnsUntil' | 'insertInWindow' | 'confirmInWindow' | 'insertUnconfirmed'>;
  clock: Clock;
  maxConfirmed: number;
  secretsOf: (endpoint: number) => readonly OpenedSecret[];
  toRow: (endpoint: number, learned: LearnedSecret, confirmed: boolean) => SecretRow;
  /** Runs a change of an endpoint's secrets after the earlier ones, and then reads its secrets again. */
  change: (endpoint: number, work: () => Promise<void>) => Promise<void>;
}): LearnSecret {
  const { store, clock, maxConfirmed, secretsOf, toRow, change } = options;
  const batches = new Map<number, { learned: LearnedSecret[]; done: Promise<void> }>();

  /** @returns whether the window was open, so that this secret is now confirmed */
  const confirmInWindow = (
    endpoint: number,
    learned: LearnedSecret,
    known: OpenedSecret | undefined,
  ): Promise<boolean> =>
    known
      ? store.confirmInWindow(endpoint, known.id, clock.now(), maxConfirmed)
      : store.insertInWindow(toRow(endpoint, learned, true), clock.now(), maxConfirmed);

  const register = async (endpoint: number, learned: readonly LearnedSecret[]): Promise<void> => {
    const until = await store.learnsUntil(endpoint);
    let isOpen = until !== null && until > clock.now();
    const unknown = new Map<string, string[]>();
    const distinct = new Map(learned.map(one => [JSON.stringify([one.platform, one.secret]), one]));
    for (const one of distinct.values()) {
      const { platform, secret } = one;
      const known = secretsOf(endpoint).find(other => other.platform === platform && other.secret === secret);
      if (known && !known.unconfirmed) continue;
      if (isOpen) {
        isOpen = false;
        if (await confirmInWindow(endpoint, one, known)) continue;
      }
      if (!known) unknown.set(platform, [...(unknown.get(platform) ?? []), secret]);
    }
    for (const [platform, secrets] of unknown) {
      const rows = secrets.slice(-maxUnconfirmedSecrets).map(secret => toRow(endpoint, { platform, secret }, false));
      await store.insertUnconfirmed({ endpoint, platform, rows, kept: maxUnconfirmedSecrets });
    }
  };

  return (endpoint, learned) => {
    // Secrets that arrive during a change are registered together, so a flood of handshakes costs few writes.
    const batch = batches.get(endpoint);
    if (batch) {
      batch.learned.push(learned);
      return batch.done;
    }
    const all = [learned];
    const done = Promise.resolve().then(() =>
      change(endpoint, () => {
        batches.delete(endpoint);
        return register(endpoint, all);
      }),
    );
    batches.set(endpoint, { learned: all, done });
    return done;
  };
}
