/*
 * Whether the principals of long-lived requests may still read their endpoints: the credentials must still belong to the same
 * account, and the endpoint must still exist in its team. However many requests share a credential or an endpoint, each is
 * checked once.
 *
 * With the embedded database this process learns whenever access ends (`forget`), and knows when a credential expires, so a check
 * holds until then, for a minute at most. On a shared database another process may end access at any time: there a check holds
 * only for the calls of the same turn of the event loop.
 */
import type { MemberAccess, Principal } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { unauthorized } from '../../core/errors.ts';
import type { ReadableEndpoint } from '../events/reading.ts';

/** With `credential`, requests with the same one share their checks. */
export type CheckedPrincipal = MemberAccess & Partial<Pick<Principal, 'credential' | 'app' | 'validUntil'>>;

export type AccountCheck = {
  /** The principal at the last check: team and plan may have changed since the request. */
  principal: () => MemberAccess;
  /** @throws AppError when access has ended; any other error if the check itself failed */
  verify: () => Promise<void>;
  /** Whether the last check is too old to hold, although no call said that access ended. */
  isDue: () => boolean;
  /** Call it when the request has ended. */
  leave: () => void;
};

/** The rights of the account, and those for an endpoint. */
export type AccessCheck = AccountCheck & {
  /** The endpoint at the last check: its retention may have changed. */
  endpoint: () => ReadableEndpoint;
};

/** Bounds how long an expiry that the principal does not tell, such as that of an app's grant, goes unnoticed. */
const longestMs = 60_000;

/** `validUntil`: epoch ms. */
type Check<T> = { result: Promise<T>; epoch: number; startedAt: number; validUntil: number; isReusable: boolean };
type Entry<T> = { users: number; check: Check<T> | undefined };

type AccountRequest = {
  principal: CheckedPrincipal;
  /** Authenticates the request again. */
  recheck: () => Promise<CheckedPrincipal | undefined>;
};

export function createAccessChecks(options: {
  clock: Pick<Clock, 'now' | 'monotonic'>;
  /** @throws not_found */
  findEndpoint: (principal: MemberAccess, id: string) => Promise<ReadableEndpoint>;
  /** Whether other processes use the same database. */
  isShared: boolean;
}) {
  const { clock, findEndpoint, isShared } = options;
  const credentials = new Map<string, Entry<CheckedPrincipal | undefined>>();
  const endpoints = new Map<string, Entry<ReadableEndpoint>>();
  let epoch = 0;
  let unsharedKeys = 0;

  const isFresh = ({ epoch: madeIn, startedAt, validUntil }: Check<unknown>): boolean =>
    madeIn === epoch && clock.monotonic() - startedAt < longestMs && clock.now() < validUntil;

  const run = <T>(entry: Entry<T>, check: () => Promise<T>, validUntil = Infinity): Promise<T> => {
    if (entry.check?.isReusable && isFresh(entry.check)) return entry.check.result;
    const made: Check<T> = { result: check(), epoch, startedAt: clock.monotonic(), validUntil, isReusable: true };
    entry.check = made;
    const makeAgain = (): void => {
      made.isReusable = false;
    };
    // A check that failed, or found no access, is made again: the next request may have a newer token of the same session.
    made.result.then(found => found === undefined && makeAgain(), makeAgain);
    if (isShared) setImmediate(makeAgain);
    return made.result;
  };

  const join = <T>(entries: Map<string, Entry<T>>, key: string): Entry<T> => {
    const entry = entries.get(key) ?? { users: 0, check: undefined };
    entry.users++;
    entries.set(key, entry);
    return entry;
  };
  const leave = <T>(entries: Map<string, Entry<T>>, key: string): void => {
    const entry = entries.get(key);
    if (entry && --entry.users === 0) entries.delete(key);
  };

  const openAccount = (request: AccountRequest): AccountCheck => {
    const { recheck } = request;
    let { principal } = request;
    const { accountId, credential, app, validUntil } = principal;
    const key = credential
      ? [credential.kind, credential.id, app?.grantId, accountId, validUntil].join()
      : `${++unsharedKeys}`;
    const entry = join(credentials, key);
    let isOpen = true;
    return {
      principal: () => principal,
      async verify() {
        const found = await run(entry, recheck, validUntil ?? Infinity);
        if (found?.accountId !== accountId) throw unauthorized();
        principal = found;
      },
      isDue: () => entry.check !== undefined && !isFresh(entry.check),
      leave(): void {
        if (isOpen) leave(credentials, key);
        isOpen = false;
      },
    };
  };

  return {
    /** Call it whenever access of any kind may have ended: every check is made again. */
    forget(): void {
      epoch++;
    },

    openAccount,

    open(request: AccountRequest & { endpointId: string; endpoint: ReadableEndpoint }): AccessCheck {
      const { endpointId } = request;
      const account = openAccount(request);
      let { endpoint } = request;
      let endpointKey = `${request.principal.teamId},${endpointId}`;
      let endpointEntry = join(endpoints, endpointKey);
      let isOpen = true;
      return {
        ...account,
        endpoint: () => endpoint,
        async verify() {
          await account.verify();
          const found = account.principal();
          const key = `${found.teamId},${endpointId}`;
          if (key !== endpointKey && isOpen) {
            leave(endpoints, endpointKey);
            endpointKey = key;
            endpointEntry = join(endpoints, key);
          }
          endpoint = await run(endpointEntry, () => findEndpoint(found, endpointId));
        },
        leave(): void {
          if (!isOpen) return;
          isOpen = false;
          account.leave();
          leave(endpoints, endpointKey);
        },
      };
    },
  };
}
