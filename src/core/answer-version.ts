/*
 * Versions of answers about a team's endpoints. A version is known before the answer is computed: it is made of the team's version in the
 * database, which every change of what is shown increases, and of the time at which the answer changes without a write, such as the next
 * expiry of an event. Read it before the data: an answer can then be newer than its version, never older.
 */
import { createHash } from 'node:crypto';
import type { Principal, TeamAccess } from './access/principal.ts';
import { hourMs } from './activity.ts';
import type { Clock } from './clock.ts';
import type { RandomBytes } from './ids/ids.ts';

export type AnswerVersion = Awaited<ReturnType<FindVersion>>;
export type FindVersion = ReturnType<typeof createAnswerVersions>;

export function createAnswerVersions({
  teamVersion,
  clock,
  random,
}: {
  teamVersion: (teamId: string) => Promise<number>;
  clock: Clock;
  random: RandomBytes;
}) {
  // Settings and levels in memory may differ after a restart and in other processes.
  const process = Buffer.from(random(9)).toString('base64url');
  /** @param asked what else the answer depends on: the parameters of the request, and levels that this process counts in memory */
  return async (
    { teamId, plan, app }: TeamAccess & Partial<Pick<Principal, 'app'>>,
    ...asked: (string | number | undefined)[]
  ) => {
    const known = [process, teamId, plan, app !== undefined, await teamVersion(teamId), asked];
    const digest = createHash('sha256').update(JSON.stringify(known)).digest('base64url').slice(0, 22);
    const now = clock.now();
    return {
      isCurrent(tag: string): boolean {
        const [, made, from = '', until = ''] = /^([\w-]+)\.([0-9a-z]+)\.([0-9a-z]+)$/.exec(tag) ?? [];
        return made === digest && now >= parseInt(from, 36) && now < parseInt(until, 36);
      },
      /** @param until from when on time alone may have changed the answer, epoch ms */
      // After the clock has gone back, expired events are visible again: a tag does not hold before the hour of its answer.
      tag: (until: number): string =>
        `${digest}.${Math.max(0, Math.floor(now / hourMs) * hourMs).toString(36)}.${until.toString(36)}`,
    };
  };
}
