/*
 * The challenges of passkeys. Each is valid once, for 5 minutes and for one purpose. They are sealed instead of stored, so that requests
 * without credentials fill neither a table nor the memory: only used ones are remembered, until they expire.
 */
import type { Clock } from '../../core/clock.ts';
import type { RandomBytes } from '../../core/ids/ids.ts';
import { type Sealer, sealPurpose } from '../../core/secrets/seal.ts';

export const challengeMs = 5 * 60_000;
const maxUsed = 100_000;

export type Challenges = ReturnType<typeof createChallenges>;

export function createChallenges(options: {
  sealer: Sealer;
  clock: Clock;
  random: RandomBytes;
  /** Whether other processes use the same database: then the challenge of one of them is valid here. */
  isShared: boolean;
}) {
  const { sealer, clock, random, isShared } = options;
  const now = isShared ? clock.now : clock.monotonic;
  // A process does not know what the one before it has used.
  const issuer = isShared ? 'shared' : Buffer.from(random(16)).toString('hex');
  /** The times at which used challenges expire, in the order of their use. */
  const used = new Map<string, number>();
  const purposeOf = (purpose: string): string => sealPurpose.passkeyChallenge(issuer, purpose);

  const forgetExpired = (): void => {
    for (const [challenge, expiresAt] of used) {
      if (expiresAt >= now() && used.size < maxUsed) return;
      used.delete(challenge);
    }
  };

  return {
    /** @returns base64url @param purpose what its response is for */
    create: (purpose: string): string => {
      const text = `${now()} ${Buffer.from(random(16)).toString('hex')}`;
      return Buffer.from(sealer.seal(text, purposeOf(purpose))).toString('base64url');
    },

    /**
     * Uses up the challenge. @returns when it was made: epoch ms on a shared database, else monotonic; undefined if it was not made
     * for this purpose, has expired, or was used before
     */
    use(challenge: string, purpose: string): number | undefined {
      const text = sealer.open(Buffer.from(challenge, 'base64url'), purposeOf(purpose));
      if (text === undefined) return undefined;
      const createdAt = Number.parseFloat(text);
      // Only a shared clock can be set back.
      if (Math.abs(now() - createdAt) > challengeMs || used.has(text)) return undefined;
      forgetExpired();
      used.set(text, createdAt + challengeMs);
      return createdAt;
    },
  };
}
