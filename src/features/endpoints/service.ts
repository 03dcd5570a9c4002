/* The endpoints of a team. Another team's endpoint gives the same error as a missing one. */

import type { Principal, TeamAccess } from '../../core/access/principal.ts';
import { activityHours, hourMs } from '../../core/activity.ts';
import type { AnswerVersion, FindVersion } from '../../core/answer-version.ts';
import type { Clock } from '../../core/clock.ts';
import { conflict, inField, invalidAt, limitReached, notFound, unauthorized } from '../../core/errors.ts';
import { oldestVisible, type PlanCutoff, type RetentionMs, readOwnRetention } from '../../core/events/retention.ts';
import { newId, newIngestToken, type RandomBytes } from '../../core/ids/ids.ts';
import { pick } from '../../core/pick.ts';
import { readName } from '../../core/text.ts';
import { defaultOverlap, maxLearnMs, maxOverlapMs, maxPreviousUrls } from '../../shared/endpoints.ts';
import { parseDuration } from '../../shared/units.ts';
import type { Guards } from './guards.ts';
import type { Activity, Endpoint, EndpointChange, EndpointChanged } from './model.ts';
import type { EndpointRegistry } from './registry.ts';
import type { EndpointRow, EndpointsStore, ListedRow, PreviousTokenRow, TokensStore } from './store.ts';

/** `taken`: its replaced tokens that still accept deliveries, newest first. `isForApp`: apps may not see alerts. */
type ShownRow = ListedRow & { taken: readonly PreviousTokenRow[]; isForApp: boolean };
/** Who sees an endpoint. `app`: the app that asks for a user. */
type Viewer = TeamAccess & Partial<Pick<Principal, 'app'>>;

export type EndpointsService = ReturnType<typeof createEndpointsService>;

export function createEndpointsService(options: {
  store: EndpointsStore;
  tokens: TokensStore;
  registry: EndpointRegistry;
  guards: Guards;
  clock: Clock;
  random: RandomBytes;
  /** The origin of ingest URLs, which may change. */
  ingestOrigin: () => string;
  /** Endpoints that each plan allows, 0 = no limit. */
  limits: { free: number; pro: number };
  retentionMs: RetentionMs;
  findVersion: FindVersion;
  /** Called after endpoints were deleted: their rows can be removed. */
  onDeleted: () => void;
  /** Called after an endpoint's retention changed: events may have expired. */
  onRetentionChanged: () => void;
  /** Called after the URLs of an endpoint changed, which signatures may cover. */
  onUrlsChanged: () => void;
}) {
  const { store, tokens, registry, guards, clock, random, ingestOrigin, limits, retentionMs } = options;
  const { findVersion, onDeleted, onRetentionChanged, onUrlsChanged } = options;

  const pathOf = (token: string): string => `/in/${token}`;
  const urlOf = (token: string): string => ingestOrigin() + pathOf(token);

  /** Deliveries that this process refused since the pause of their endpoint, by its row number; all of them for the list's version. */
  const refused = new Map<number, number>();
  let refusals = 0;

  const toEndpoint = (row: ShownRow): Endpoint => ({
    ...pick(row, 'id', 'name', 'createdAt', 'eventCount', 'lastReceivedAt', 'retention', 'pausedAt'),
    url: urlOf(row.token),
    path: pathOf(row.token),
    previousUrls: row.taken.map(({ id, token, until }) => ({ id, url: urlOf(token), until })),
    paused: row.pausedAt !== null,
    refusedWhilePaused: row.pausedAt === null ? null : (refused.get(row.seq) ?? 0),
    customAnswers: row.hasRules === 1,
    guard: guards.shown(row),
    alerts: row.isForApp ? null : { enabled: row.enabledAlerts, firing: row.firingAlerts },
    declared: row.declaredName !== null,
  });
  const takenOf = async (teamId: string): Promise<Map<number, PreviousTokenRow[]>> =>
    Map.groupBy(await tokens.taken(teamId, clock.now()), ({ endpoint }) => endpoint);

  /** Older events are not counted, whether or not the sweeper has removed them yet. */
  const planCutoff = ({ plan }: TeamAccess): PlanCutoff => {
    const now = clock.now();
    return { planCutoff: oldestVisible(retentionMs, plan, now), now };
  };

  /** The endpoint's row. Its counters may include events past retention. @throws not_found */
  const owned = async (principal: Pick<TeamAccess, 'teamId'>, id: string): Promise<EndpointRow> => {
    const row = await store.find(principal.teamId, id);
    if (!row) throw notFound('endpoint');
    return row;
  };

  /** The row with counters to show. @throws not_found */
  const counted = async (principal: Viewer, id: string): Promise<EndpointRow & ShownRow> => {
    const row = await store.findCounted(principal.teamId, id, planCutoff(principal));
    if (!row) throw notFound('endpoint');
    const taken = (await takenOf(principal.teamId)).get(row.seq);
    return { ...row, taken: taken ?? [], isForApp: principal.app !== undefined };
  };

  /** @throws not_found */
  const endpoint = async (principal: Viewer, id: string): Promise<Endpoint> => toEndpoint(await counted(principal, id));

  const update = async (principal: TeamAccess, id: string, given: EndpointChange): Promise<EndpointChanged> => {
    const { name: givenName, learnSecretsFor, retention, paused } = given;
    if (Object.values(given).every(value => value === undefined))
      throw invalidAt(['name'], 'required', 'invalid body: name: required');
    const name = givenName === undefined ? undefined : inField(['name'], () => readName(givenName));
    const learnMs = learnSecretsFor === undefined ? undefined : readWindow(learnSecretsFor);
    const learnSecretsUntil = learnMs === 0 ? null : learnMs && clock.now() + learnMs;
    const guard =
      given.guard === undefined ? undefined : guards.seal(id, guards.read(given.guard, await owned(principal, id)));
    const change = {
      ...(name !== undefined && { name }),
      ...(learnSecretsUntil !== undefined && { learnSecretsUntil }),
      ...(retention !== undefined && {
        retention,
        retentionMs: readOwnRetention(retention, retentionMs[principal.plan]),
      }),
      ...(paused !== undefined && { pausedAt: paused ? clock.now() : null }),
      ...guard,
    };
    const row = await store.update(principal.teamId, id, change);
    if (!row) throw notFound('endpoint');
    if (retention !== undefined) onRetentionChanged();
    if (paused !== undefined) registry.add(row.registered);
    if (guard)
      registry.setPolicy(row.registered.seq, policy => ({ ...policy, guard: guards.endpointGuard({ id, ...guard }) }));
    if (paused === false) refused.delete(row.registered.seq);
    return {
      ok: true,
      name: row.name,
      ...(retention !== undefined && { retention: row.retention }),
      ...(paused !== undefined && { paused }),
      ...(guard && { guard: guards.shown(guard) }),
      ...(learnSecretsUntil !== undefined && { learnSecretsUntil }),
    };
  };

  return {
    owned,
    counted,
    toEndpoint,
    endpoint,
    urlOf,
    named: store.named,

    /** Whether the token belongs to a paused endpoint. If so, its delivery is refused and counted. */
    countIfPaused(token: string): boolean {
      const seq = registry.pausedEndpoint(token);
      if (seq === undefined) return false;
      refused.set(seq, (refused.get(seq) ?? 0) + 1);
      refusals++;
      return true;
    },

    /** Read it before `list`. */
    listVersion: (principal: Viewer): Promise<AnswerVersion> =>
      findVersion(principal, 'endpoints', refusals, ingestOrigin()),

    async list(principal: Viewer): Promise<{ endpoints: Endpoint[]; until: number }> {
      const { teamId, app } = principal;
      const cutoff = planCutoff(principal);
      const [rows, taken] = await Promise.all([store.listOf(teamId, cutoff), takenOf(teamId)]);
      const isForApp = app !== undefined;
      let until = Number.MAX_SAFE_INTEGER;
      for (const { untilExpiryMs } of rows)
        if (untilExpiryMs !== null) until = Math.min(until, cutoff.now + untilExpiryMs + 1);
      for (const { until: end } of [...taken.values()].flat()) until = Math.min(until, end);
      return {
        endpoints: rows.map(row => toEndpoint(Object.assign(row, { taken: taken.get(row.seq) ?? [], isForApp }))),
        until,
      };
    },

    /** Events of the last 24 hours, by the hour, the current one last. @throws not_found */
    async activity(principal: TeamAccess, id: string): Promise<Activity> {
      const { seq } = await owned(principal, id);
      const hours = activityHours(clock.now());
      const counts = await store.activityOf(seq, hours, planCutoff(principal));
      return { since: hours[0] ?? 0, bucketMs: hourMs, counts };
    },

    /**
     * @throws invalid for the name, limit_reached when the plan allows no more, unauthorized if the team's last account was
     * deleted
     */
    async create(principal: Viewer, givenName: string): Promise<Endpoint> {
      const name = inField(['name'], () => readName(givenName));
      const limit = limits[principal.plan];
      const createdAt = clock.now();
      const row = {
        id: newId('ep', createdAt, random),
        teamId: principal.teamId,
        name,
        token: newIngestToken(random),
        createdAt,
      };
      const seq = await store.insertWithin(limit, row);
      if (seq === 'gone') throw unauthorized();
      if (seq === 'full')
        throw limitReached(`the ${principal.plan} plan allows ${limit} endpoint${limit === 1 ? '' : 's'}`);
      registry.add({ seq, id: row.id, teamId: row.teamId, token: row.token, isPaused: false, previous: [] });
      return endpoint(principal, row.id);
    },

    /**
     * Renames an endpoint, sets its retention and its guard, pauses or resumes it, and opens or closes
     * the window in which the next learned secret is confirmed.
     * @throws invalid, not_found
     */
    update: (principal: TeamAccess, id: string, change: EndpointChange): Promise<EndpointChanged> =>
      change.guard === undefined
        ? update(principal, id, change)
        : guards.change(id, () => update(principal, id, change)),

    /**
     * Gives the endpoint a new URL. The old URL accepts deliveries until the end of the overlap.
     * @throws invalid for the overlap, not_found, limit_reached if too many previous URLs still accept deliveries
     */
    async rotate(principal: Viewer, id: string, overlap = defaultOverlap): Promise<Endpoint> {
      const overlapMs = parseDuration(overlap);
      if (overlapMs === undefined || overlapMs > maxOverlapMs)
        throw invalidAt(['overlap'], 'must be a duration such as 24h, at most 30d; 0 for none');
      const { teamId } = principal;
      const now = clock.now();
      const replacement = { id: newId('url', now, random), token: newIngestToken(random), now };
      const until = now + overlapMs;
      const registered = await tokens.replace({ teamId, id }, { ...replacement, until, limit: maxPreviousUrls });
      if (!registered) {
        await owned(principal, id);
        throw limitReached(
          `an endpoint has at most ${maxPreviousUrls} previous URLs that take deliveries: end one first`,
        );
      }
      registry.add(registered);
      onUrlsChanged();
      return endpoint(principal, id);
    },

    /** From then on, the old URL accepts no deliveries. @throws not_found */
    async endOverlap({ teamId }: TeamAccess, id: string, tokenId: string): Promise<void> {
      const registered = await tokens.endOverlap({ teamId, id }, { tokenId, now: clock.now() });
      if (!registered) throw notFound('previous URL');
      registry.add(registered);
      onUrlsChanged();
    },

    /**
     * From then on, its URL is unknown and its events are not readable.
     * @throws not_found, conflict if it has pinned events and `withPinned` is false
     */
    async remove(principal: TeamAccess, id: string, { withPinned = false } = {}): Promise<void> {
      if (!(await store.markDeleted(principal.teamId, id, { at: clock.now(), withPinned }))) {
        await owned(principal, id);
        throw conflict('the endpoint has pinned events: to delete them as well, repeat with ?pinned=true');
      }
      registry.removeById(id);
      onDeleted();
    },

    /** Deletes all endpoints of a team whose last account was deleted. */
    async removeTeam(teamId: string): Promise<void> {
      await store.markAllDeleted(teamId, clock.now());
      registry.removeTeam(teamId);
      onDeleted();
    },
  };
}

/** Milliseconds; 0 closes the window. @throws invalid */
function readWindow(text: string | null): number {
  const ms = text === null ? 0 : parseDuration(text);
  if (ms === undefined || ms > maxLearnMs)
    throw invalidAt(['learnSecretsFor'], 'must be a duration such as 10m, at most 24h');
  return ms;
}
