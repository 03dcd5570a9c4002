/* Chooses and keeps up the index of a kind of credentials. */
import {
  type CredentialIndex,
  createLocalIndex,
  createSharedIndex,
  hashOfId,
  indexId,
} from '../core/credential-index.ts';
import type { Infrastructure } from './infrastructure.ts';

/** Until then a credential that was revoked costs a query for each use. */
const reloadEveryMs = 10 * 60_000;

type Keeper = Pick<Infrastructure, 'isShared' | 'every'>;
type HashStore = { hashes: () => Promise<Buffer[]>; existing: (hashes: Buffer[]) => Promise<Buffer[]> };

/** @param what the kind of credentials, in the plural */
export function createHashIndex({ isShared, every }: Keeper, what: string, store: HashStore): CredentialIndex {
  if (isShared) return createSharedIndex(async ids => (await store.existing(ids.map(hashOfId))).map(indexId));
  const index = createLocalIndex(async () => (await store.hashes()).map(indexId));
  every(reloadEveryMs, `reading which ${what} exist`, index.reload);
  return index;
}

/** In a shared database a grant is looked up only for a token whose signature holds, so that an invented one costs no query. */
export function createGrantIndex({ isShared, every }: Keeper, grantIds: () => Promise<string[]>): CredentialIndex {
  if (isShared) return { mayExist: () => true, add: () => {}, reload: async () => {} };
  const index = createLocalIndex(grantIds);
  every(reloadEveryMs, 'reading which grants exist', index.reload);
  return index;
}
