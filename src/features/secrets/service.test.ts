import { beforeEach, describe, expect, test } from 'bun:test';
import { systemClock } from '../../core/clock.ts';
import { createSealer } from '../../core/secrets/seal.ts';
import { createSecretsService } from './service.ts';
import type { SecretRow } from './store.ts';

const principal = { teamId: 'team' };
const endpoint = 1;
const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

describe('secrets in memory, while a read of all secrets runs', () => {
  let rows: SecretRow[];
  /** Each read takes what is stored when it begins, and ends when its promise does. */
  let readAll: Promise<void>;
  let readOwn: Promise<void>;
  let service: ReturnType<typeof createSecretsService>;
  beforeEach(() => {
    rows = [];
    readAll = readOwn = Promise.resolve();
    const store = {
      all: async () => {
        const found = [...rows];
        await readAll;
        return found;
      },
      listOf: async () => {
        const found = [...rows];
        await readOwn;
        return found;
      },
      insertWithin: async (_: number, row: SecretRow) => rows.push(row) > 0,
    } as unknown as Parameters<typeof createSecretsService>[0]['store'];
    service = createSecretsService({
      store,
      sealer: createSealer('the same secret for every process of an installation', random),
      clock: systemClock,
      random,
      endpoint: async () => ({ seq: endpoint, learnSecretsUntil: null }),
      onUnreadable: () => {},
    });
  });
  const add = () => service.add(principal, 'ep', { platform: null, secret: 'a secret of ours' });
  const known = () => service.secretsOf(endpoint).map(({ secret }) => secret);

  test('a new one stays when that read began before it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    readAll = promise;
    const refresh = service.refresh();
    await add();
    resolve();
    await refresh;
    expect(known()).toEqual(['a secret of ours']);
  });

  test('a new one stays when that read ends before it was read', async () => {
    const all = Promise.withResolvers<void>();
    const own = Promise.withResolvers<void>();
    [readAll, readOwn] = [all.promise, own.promise];
    const refresh = service.refresh();
    const adding = add();
    all.resolve();
    await refresh;
    own.resolve();
    await adding;
    expect(known()).toEqual(['a secret of ours']);
  });
});
