/* Endpoints: a team's addresses. What belongs to another team does not exist. */

import type { Clock } from '../../core/clock.ts';
import { invalid, limitReached, notFound, unauthorized } from '../../core/errors.ts';
import { newId, newIngestToken, type RandomBytes } from '../../core/ids.ts';
import type { TeamAccess } from '../../core/principal.ts';
import { oldestVisible, type RetentionMs } from '../../core/retention.ts';
import { readName } from '../../core/text.ts';
import { parseDuration } from '../../core/units.ts';
import type { Endpoint, EndpointChange, EndpointChanged } from './model.ts';
import type { IngestAddresses } from './registry.ts';
import type { EndpointRow, EndpointsStore } from './store.ts';

const maxLearnMs = 24 * 60 * 60 * 1000;

export type EndpointsService = ReturnType<typeof createEndpointsService>;

export function createEndpointsService(options: {
  store: EndpointsStore;
  registry: IngestAddresses;
  clock: Clock;
  random: RandomBytes;
  baseUrl: string;
  /** Endpoints that a plan allows, 0 = no limit. */
  limits: { free: number; pro: number };
  retentionMs: RetentionMs;
  /** Told after an endpoint's rows became garbage. */
  onDeleted: () => void;
}) {
  const { store, registry, clock, random, baseUrl, limits, retentionMs, onDeleted } = options;

  const urlOf = (token: string): string => `${baseUrl}/in/${token}`;

  const toEndpoint = (row: EndpointRow): Endpoint => ({
    id: row.id,
    name: row.name,
    createdAt: row.createdAt,
    url: urlOf(row.token),
    eventCount: row.eventCount,
    lastReceivedAt: row.lastReceivedAt,
  });

  /** Events past the window do not count, whether or not the sweeper has been there. */
  const since = (principal: TeamAccess): number => oldestVisible(retentionMs, principal.plan, clock.now());

  /** The endpoint's row; its counters may still count events past the window. @throws not_found */
  const owned = async (principal: Pick<TeamAccess, 'teamId'>, id: string): Promise<EndpointRow> => {
    const row = await store.find(principal.teamId, id);
    if (!row) throw notFound('endpoint');
    return row;
  };

  /** The same with counters of the events that the principal may see. @throws not_found */
  const counted = async (principal: TeamAccess, id: string): Promise<EndpointRow> => {
    const row = await store.findCounted(principal.teamId, id, since(principal));
    if (!row) throw notFound('endpoint');
    return row;
  };

  return {
    owned,
    counted,
    toEndpoint,
    urlOf,

    async list(principal: TeamAccess): Promise<Endpoint[]> {
      return (await store.listOf(principal.teamId, since(principal))).map(toEndpoint);
    },

    /** @throws not_found */
    async endpoint(principal: TeamAccess, id: string): Promise<Endpoint> {
      return toEndpoint(await counted(principal, id));
    },

    /** @throws invalid for the name, limit_reached when the plan allows no more, unauthorized when the team has no one any more */
    async create(principal: TeamAccess, givenName: string): Promise<Endpoint> {
      const name = readName(givenName);
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
      registry.add({ seq, id: row.id, teamId: row.teamId, token: row.token });
      return toEndpoint({ ...row, seq, deletedAt: null, eventCount: 0, lastReceivedAt: null, learnSecretsUntil: null });
    },

    /**
     * Renames it, and opens or closes the window in which a learned secret is taken as confirmed.
     * @throws invalid, not_found
     */
    async update(
      principal: TeamAccess,
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
      const row = await store.update(principal.teamId, id, change);
      if (!row) throw notFound('endpoint');
      return { ok: true, name: row.name, ...(learnSecretsUntil !== undefined && { learnSecretsUntil }) };
    },

    /** Its address stops and its events are unreadable at once. @throws not_found */
    async remove(principal: TeamAccess, id: string): Promise<void> {
      if (!(await store.markDeleted(principal.teamId, id, clock.now()))) throw notFound('endpoint');
      registry.removeById(id);
      onDeleted();
    },

    /** All of a team that nobody is left in. */
    async removeTeam(teamId: string): Promise<void> {
      await store.markAllDeleted(teamId, clock.now());
      registry.removeTeam(teamId);
      onDeleted();
    },
  };
}

/** Milliseconds; 0 for none. @throws invalid */
function readWindow(text: string | null): number {
  const ms = text === null ? 0 : parseDuration(text);
  if (ms === undefined || ms > maxLearnMs) throw invalid('learnSecretsFor must be a duration such as 10m, at most 24h');
  return ms;
}
