/*
 * Test secrets: an endpoint has at most one of each platform, made when its first test event of that platform is sent. Registered
 * secrets never sign a test event.
 */
import { unavailable } from '../../core/errors.ts';
import type { OpenedSecret } from './learning.ts';
import type { SecretRow, SecretsStore } from './store.ts';

export type TestSecret = (
  endpoint: number,
  platform: string,
  create: () => string,
) => Promise<Pick<OpenedSecret, 'id' | 'secret'>>;

/** @returns a function that finds the test secret, or stores the secret that `create` returns */
export const createTestSecrets =
  (options: {
    store: Pick<SecretsStore, 'insertTest'>;
    secretsOf: (endpoint: number) => readonly OpenedSecret[];
    toRow: (
      endpoint: number,
      secret: { platform: string; secret: string },
      confirmed: boolean,
      test: boolean,
    ) => SecretRow;
    /** Runs a change of an endpoint's secrets after the earlier ones, and then reads its secrets again. */
    change: <T>(endpoint: number, work: () => Promise<T>) => Promise<T>;
  }): TestSecret =>
  async (endpoint, platform, create) => {
    const { store, secretsOf, toRow, change } = options;
    const find = () => secretsOf(endpoint).find(secret => secret.test && secret.platform === platform);
    const known = find();
    if (known) return known;
    await change(endpoint, () => store.insertTest(toRow(endpoint, { platform, secret: create() }, true, true)));
    const made = find();
    if (!made) throw unavailable('the test secret of this platform cannot be read: delete it, and try again', 1);
    return made;
  };
