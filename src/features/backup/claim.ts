/*
 * The claim: an object that says which server may write to the prefix. It is renewed by conditional writes. A claim that is not renewed for
 * three intervals may be taken by a server whose history began in that prefix.
 */
import type { Claim } from '../../core/backup/contents.ts';
import { encodeClaim } from '../../core/backup/contents.ts';
import { BackupError, type BackupSource, readClaim } from '../../core/backup/read-objects.ts';
import type { Clock } from '../../core/clock.ts';
import { isStoreFailure } from '../../core/network/object-store.ts';
import type { Conditions } from './conditions.ts';

/** This server must not write to the prefix. `isFinal`: until it is started again. */
export class RefusedError extends Error {
  override name = 'RefusedError';
  readonly isFinal: boolean;
  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}

const minEveryMs = 10_000;
const intervals = 3;
const place = { kind: 'claim', seq: 0 } as const;

type Options = {
  source: BackupSource;
  clock: Clock;
  everyMs: number;
  /** Identifies the data directory, and not a copy of it. */
  instance: string;
  run: string;
};

export type HeldClaim = {
  /** Renews the claim if it is due; must succeed before anything is written. @throws RefusedError if another server has taken it */
  renew: (seq: number, conditions: Conditions) => Promise<void>;
  /** Lets another server take the claim at once. */
  release: (seq: number, conditions: Conditions) => Promise<void>;
};

export type ClaimTaker = ReturnType<typeof createClaimTaker>;

export function createClaimTaker({ source, clock, everyMs, instance, run }: Options) {
  const { store, names, seal, signal } = source;
  const name = names.name(place);
  const renewEveryMs = Math.max(everyMs, minEveryMs);
  /** The claim of another server, and since when it has not been renewed. */
  let seen: { etag: string | undefined; at: number; since: number } | undefined;
  /** Whether this process had the claim before. */
  let wasHeld = false;

  const write = async (claim: Claim, when: 'absent' | { etag: string } | undefined): Promise<string | undefined> => {
    const { bytes } = await seal.seal(place, encodeClaim(claim));
    return store.put(name, bytes, { when, signal });
  };

  const read = async () => {
    try {
      return await readClaim(source);
    } catch (error) {
      if (error instanceof BackupError)
        throw new RefusedError(
          `the claim in ${store.location} cannot be read: it is damaged or of another HOOKTAPE_SECRET`,
        );
      throw error;
    }
  };

  /** @throws RefusedError if another server may still be using it */
  const checkFree = ({ claim, etag }: { claim: Claim; etag: string | undefined }): void => {
    if (claim.released || claim.instance === instance) return;
    const now = clock.monotonic();
    if (seen?.etag !== etag || seen?.at !== claim.at) seen = { etag, at: claim.at, since: now };
    const waitMs = Math.max(claim.everyMs, minEveryMs) * intervals - (now - seen.since);
    if (waitMs > 0)
      throw new RefusedError(`another server backs up to ${store.location}; this one captures, but does not back up`);
  };

  const takenOver = () =>
    new RefusedError(
      `another server has taken over the backup in ${store.location}; this one does not back up until it is started again`,
      true,
    );

  const hold = (chain: string, first: string | undefined): HeldClaim => {
    let etag = first;
    let renewedAt = clock.monotonic();
    const update = async (seq: number, conditions: Conditions, released: boolean): Promise<void> => {
      const claim: Claim = { chain, instance, run, seq, at: clock.now(), everyMs: renewEveryMs, released };
      const startedAt = clock.monotonic();
      if (!conditions.match || etag === undefined) await checkOurs();
      try {
        etag = await write(claim, conditions.match && etag !== undefined ? { etag } : undefined);
      } catch (error) {
        const isDeleted = isStoreFailure(error, 'missing');
        if (!isDeleted && !isStoreFailure(error, 'condition')) throw error;
        // An earlier try may have succeeded although its response did not arrive.
        if (!isDeleted) etag = await checkOurs();
        etag = await write(claim, isDeleted ? 'absent' : etag === undefined ? undefined : { etag });
      }
      renewedAt = startedAt;
    };
    const checkOurs = async (): Promise<string | undefined> => {
      const now = await read();
      if (now && now.claim.run !== run) throw takenOver();
      return now?.etag;
    };
    return {
      async renew(seq, conditions) {
        if (clock.monotonic() - renewedAt >= renewEveryMs) await update(seq, conditions, false);
      },
      release: (seq, conditions) => update(seq, conditions, true),
    };
  };

  return {
    /**
     * @param chainFor called with the chain of the present claim, if there is one; returns the chain to go on with
     * @throws RefusedError if another server has it, or the history of this database did not begin there
     */
    async take(conditions: Conditions, chainFor: (claimed: string | undefined) => Promise<string>) {
      const found = await read();
      const chain = await chainFor(found?.claim.chain);
      if (found && wasHeld && found.claim.run !== run) throw takenOver();
      if (found) checkFree(found);
      const claim: Claim = {
        chain,
        instance,
        run,
        seq: found?.claim.seq ?? 0,
        at: clock.now(),
        everyMs: renewEveryMs,
        released: false,
      };
      const { absent, match } = conditions;
      const when = found
        ? match && found.etag !== undefined
          ? { etag: found.etag }
          : undefined
        : absent
          ? 'absent'
          : undefined;
      try {
        const held = hold(chain, await write(claim, when));
        wasHeld = true;
        return { chain, held };
      } catch (error) {
        if (isStoreFailure(error, 'condition'))
          throw new RefusedError(`another server has just begun to back up to ${store.location}`);
        throw error;
      }
    },
  };
}
