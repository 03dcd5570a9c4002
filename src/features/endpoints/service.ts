/* The endpoints of a team. An endpoint of another team is answered like one that does not exist. */
import type { Clock } from '../../core/clock.ts';
import { invalid, limitReached, notFound, unauthorized } from '../../core/errors.ts';
import { newId, newIngestToken, type RandomBytes } from '../../core/ids.ts';
import { oldestVisible, type RetentionMs } from '../../core/retention.ts';
import { readName } from '../../core/text.ts';
import { parseDuration } from '../../core/units.ts';
import { createCountActivity } from './activity.ts';
import type { Activity, Endpoint, EndpointChange, EndpointChanged } from './model.ts';
import type { EndpointRegistry } from './registry.ts';
import type { EndpointRow, EndpointsStore } from './store.ts';

const maxLearnMs = 24 * 60 * 60 * 1000;

export type Owner = { teamId: string; plan: 'free' | 'pro' };

export type EndpointsService = ReturnType<typeof createEndpointsService>;

export function createEndpointsService(options: {
  store: EndpointsStore;
  registry: EndpointRegistry;
  clock: Clock;
  random: RandomBytes;
  baseUrl: string;
  /** Endpoints that each plan allows, 0 = no limit. */
  limits: { free: number; pro: number };
  retentionMs: RetentionMs;
  /** Called after endpoints were deleted: their rows can be removed. */
  onDeleted: () => void;
}) {
  const { store, registry, clock, random, baseUrl, limits, retentionMs, onDeleted } = options;
  const countActivity = createCountActivity({ store, clock });

  const urlOf = (token: string): string => `${baseUrl}/in/${token}`;

  const toEndpoint = (row: EndpointRow): Endpoint => ({
    id: row.id,
    name: row.name,
    createdAt: row.createdAt,
    url: urlOf(row.token),
    eventCount: row.eventCount,
    lastReceivedAt: row.lastReceivedAt,
  });

  /** Older events are not counted, whether or not the sweeper has removed them yet. */
  const retentionCutoff = (owner: Owner): number => oldestVisible(retentionMs, owner.plan, clock.now());

  /** The endpoint's row. Its counters may include events past retention. @throws not_found */
  const owned = async (owner: Pick<Owner, 'teamId'>, id: string): Promise<EndpointRow> => {
    const row = await store.find(owner.teamId, id);
    if (!row) throw notFound('endpoint');
    return row;
  };

  /** The row with counters to show. @throws not_found */
  const counted = async (owner: Owner, id: string): Promise<EndpointRow> => {
    const row = await store.findCounted(owner.teamId, id, retentionCutoff(owner));
    if (!row) throw notFound('endpoint');
    return row;
  };

  return {
    owned,
    counted,
    toEndpoint,
    urlOf,

    async list(owner: Owner): Promise<Endpoint[]> {
      return (await store.listOf(owner.teamId, retentionCutoff(owner))).map(toEndpoint);
    },

    /** Events of the last 24 hours, by the hour. @throws not_found */
    async activity(owner: Owner, id: string): Promise<Activity> {
      return countActivity((await owned(owner, id)).seq, retentionCutoff(owner));
    },

    /** @throws not_found */
    async endpoint(owner: Owner, id: string): Promise<Endpoint> {
      return toEndpoint(await counted(owner, id));
    },

    /** @throws invalid for the name, limit_reached when the plan allows no more, unauthorized when the team has no account left */
    async create(owner: Owner, givenName: string): Promise<Endpoint> {
      const name = readName(givenName);
      const limit = limits[owner.plan];
      const createdAt = clock.now();
      const row = {
        id: newId('ep', createdAt, random),
        teamId: owner.teamId,
        name,
        token: newIngestToken(random),
        createdAt,
      };
      const seq = await store.insertWithin(limit, row);
      if (seq === 'gone') throw unauthorized();
      if (seq === 'full')
        throw limitReached(`the ${owner.plan} plan allows ${limit} endpoint${limit === 1 ? '' : 's'}`);
      registry.add({ seq, id: row.id, teamId: row.teamId, token: row.token });
      return toEndpoint({ ...row, seq, deletedAt: null, eventCount: 0, lastReceivedAt: null, learnSecretsUntil: null });
    },

    /**
     * Renames an endpoint, and opens or closes the window in which the next learned secret is confirmed.
     * @throws invalid, not_found
     */
    async update(
      owner: Owner,
      id: string,
      { name: givenName, learnSecretsFor }: EndpointChange,
    ): Promise<EndpointChanged> {
      if (givenName === undefined && learnSecretsFor === undefined) throw invalid('invalid body: name: required');
      const name = givenName === undefined ? undefined : readName(givenName);
      const learnMs = learnSecretsFor === undefined ? undefined : readWindow(learnSecretsFor);
      const learnSecretsUntil = learnMs === 0 ? null : learnMs && clock.now() + learnMs;
      const change = {
        ...(name !== undefined && { name }),
        ...(learnSecretsUntil !== undefined && { learnSecretsUntil }),
      };
      const row = await store.update(owner.teamId, id, change);
      if (!row) throw notFound('endpoint');
      return { ok: true, name: row.name, ...(learnSecretsUntil !== undefined && { learnSecretsUntil }) };
    },

    /** From then on, its ingest address is unknown and its events are not readable. @throws not_found */
    async remove(owner: Owner, id: string): Promise<void> {
      if (!(await store.markDeleted(owner.teamId, id, clock.now()))) throw notFound('endpoint');
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
  if (ms === undefined || ms > maxLearnMs) throw invalid('learnSecretsFor must be a duration such as 10m, at most 24h');
  return ms;
}
