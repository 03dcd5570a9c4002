/* Which credentials exist: kept in memory when only this process writes to the database, otherwise looked up in the database. */
import {
  type CredentialIndex,
  createLocalIndex,
  createSharedIndex,
  hashOfId,
  indexId,
} from '../core/access/credential-index.ts';

/** Until the next reload, each use of a revoked credential costs a query. */
const reloadEveryMs = 10 * 60_000;

type IndexContext = {
  /** Other processes may write to the database. */
  isShared: boolean;
  every: (ms: number, what: string, run: () => Promise<void>) => void;
};
type HashStore = { hashes: () => Promise<Buffer[]>; existing: (hashes: Buffer[]) => Promise<Buffer[]> };

/** @param what names the credentials in log messages, such as `API keys` */
export function createHashIndex({ isShared, every }: IndexContext, what: string, store: HashStore): CredentialIndex {
  if (isShared) return createSharedIndex(async ids => (await store.existing(ids.map(hashOfId))).map(indexId));
  const index = createLocalIndex(async () => (await store.hashes()).map(indexId));
  every(reloadEveryMs, `reading which ${what} exist`, index.reload);
  return index;
}

/** With a shared database every grant may exist: it is looked up only after the token's signature was verified, so a made-up token costs no query. */
export function createGrantIndex(
  { isShared, every }: IndexContext,
  grantIds: () => Promise<string[]>,
): CredentialIndex {
  if (isShared) return { mayExist: () => true, add: () => {}, reload: async () => {} };
  const index = createLocalIndex(grantIds);
  every(reloadEveryMs, 'reading which grants exist', index.reload);
  return index;
}
