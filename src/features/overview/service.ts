/* The endpoints of a team with their troubles. Endpoints that need attention come first. */
import type { Principal, TeamAccess } from '../../core/access/principal.ts';
import { activityHours, hourMs } from '../../core/activity.ts';
import type { AnswerVersion, FindVersion } from '../../core/answer-version.ts';
import type { Clock } from '../../core/clock.ts';
import { invalidAt } from '../../core/errors.ts';
import { oldestVisible, type RetentionMs } from '../../core/events/retention.ts';
import { decodeShown, encodeShown } from '../../core/ids/shown-cursor.ts';
import { defaultOverviewLimit, type Overview, type OverviewQuery, type Stats, type Trouble } from './model.ts';
import type { OverviewStore, TroubleRow } from './store.ts';

const dayMs = 24 * hourMs;
/** More events than this are not counted for the text of a trouble. */
const maxCounted = 1000;

type Viewer = TeamAccess & Pick<Principal, 'app'>;

export type OverviewService = ReturnType<typeof createOverviewService>;

export function createOverviewService(options: {
  store: OverviewStore;
  clock: Clock;
  retentionMs: RetentionMs;
  findVersion: FindVersion;
  serverVersion: string;
}) {
  const { store, clock, retentionMs, findVersion, serverVersion } = options;
  const cutoffOf = ({ plan }: Pick<Viewer, 'plan'>, now: number) => ({
    planCutoff: oldestVisible(retentionMs, plan, now),
    now,
  });

  /** Row numbers of the endpoints that match `q`; undefined without `q`. */
  const matching = async (teamId: string, q: string): Promise<number[] | undefined> => {
    if (q === '') return undefined;
    const wanted = q.toLowerCase();
    const all = await store.names(teamId);
    return all.filter(({ id, name }) => id === q || name.toLowerCase().includes(wanted)).map(({ seq }) => seq);
  };

  return {
    async stats(viewer: Viewer): Promise<Stats> {
      const now = clock.now();
      return { version: serverVersion, ...(await store.stats(viewer.teamId, cutoffOf(viewer, now), now - dayMs)) };
    },

    /** Read it before `page`. */
    version: (principal: Viewer, { q, limit, cursor }: OverviewQuery): Promise<AnswerVersion> =>
      findVersion(principal, 'overview', q, limit, cursor),

    /** `until`: from when on time alone may have changed it, epoch ms. @throws invalid for the cursor */
    async page({ teamId, plan }: Viewer, query: OverviewQuery): Promise<{ answer: Overview; until: number }> {
      const limit = query.limit === undefined ? defaultOverviewLimit : Number(query.limit);
      const shownBefore = query.cursor === undefined ? [] : decodeShown(query.cursor);
      if (!shownBefore) throw invalidAt(['cursor'], 'invalid', 'invalid cursor');
      const now = clock.now();
      const cutoff = cutoffOf({ plan }, now);
      const hours = activityHours(now);

      const [found, all, among] = await Promise.all([
        store.troubles(teamId, cutoff, { invalidSince: now - dayMs, maxCounted }),
        store.total(teamId, cutoff),
        matching(teamId, query.q ?? ''),
      ]);
      const troubles = Map.groupBy(
        found.toSorted((a, b) => b.since - a.since),
        ({ endpoint }) => endpoint,
      );
      // The groups are in the order of their latest troubles.
      const troubled = [...troubles.keys()];
      const isListed = listed(among, shownBefore);
      const seqs = troubled.filter(isListed).slice(0, limit + 1);
      if (seqs.length <= limit)
        seqs.push(
          ...(await store.byLastEvent(teamId, cutoff, {
            among,
            except: [...shownBefore, ...troubled],
            limit: limit + 1 - seqs.length,
          })),
        );
      const page = seqs.slice(0, limit);
      const rows = new Map((await store.shown(teamId, cutoff, { seqs: page, hours })).map(row => [row.seq, row]));
      const endpoints = page.flatMap(seq => {
        const row = rows.get(seq);
        if (!row) return [];
        const { untilExpiryMs: _, seq: __, ...shown } = row;
        return [{ ...shown, troubles: (troubles.get(seq) ?? []).map(trouble => toTrouble(trouble, row.id)) }];
      });
      const nextHour = (hours.at(-1) ?? now) + hourMs;
      const expiries = [all, ...rows.values(), ...found].flatMap(({ untilExpiryMs }) =>
        untilExpiryMs === null || untilExpiryMs < 0 ? [] : [now + untilExpiryMs + 1],
      );
      return {
        answer: {
          endpoints,
          nextCursor: seqs.length > limit ? encodeShown([...shownBefore, ...page]) : null,
          total: among?.length ?? all.total,
        },
        until: expiries.reduce((first, at) => Math.min(first, at), nextHour),
      };
    },
  };
}

function listed(among: readonly number[] | undefined, except: readonly number[]): (seq: number) => boolean {
  const [wanted, unwanted] = [among && new Set(among), new Set(except)];
  return seq => (wanted?.has(seq) ?? true) && !unwanted.has(seq);
}

const sentences: Record<Trouble['kind'], (row: TroubleRow) => string> = {
  forward_down: ({ name }) => `Forward “${name}” is down`,
  forward_given_up: ({ name, count }) => `Forward “${name}” gave up on ${counted(count, 'event')}`,
  alert_firing: ({ name }) => `Alert “${name}” is firing`,
  invalid_signatures: ({ count }) => `${counted(count, 'invalid signature')} in the last 24 hours`,
  paused: () => 'Paused: deliveries are refused',
};
const counted = (count: number | null, what: string): string =>
  `${count === maxCounted ? `${maxCounted} or more` : count} ${what}${count === 1 ? '' : 's'}`;

const pages: Record<Trouble['kind'], (row: TroubleRow) => string> = {
  forward_down: ({ owner }) => `/destinations/${owner}`,
  forward_given_up: ({ owner }) => `/destinations/${owner}?state=given_up`,
  alert_firing: () => '/alerts',
  invalid_signatures: () => `?where=${encodeURIComponent('verdict:invalid')}`,
  paused: () => '/settings',
};

const toTrouble = (row: TroubleRow, endpointId: string): Trouble => ({
  kind: row.kind,
  text: sentences[row.kind](row),
  link: `/app/endpoints/${endpointId}${pages[row.kind](row)}`,
  since: row.since,
});
