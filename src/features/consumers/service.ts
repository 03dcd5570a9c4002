/*
 * Consumers: named, durable positions in the feed of an endpoint. A program puts its position when it has dealt with the events
 * before it, and goes on there after a restart. Each write gives the position a new version, so that if two programs change it at
 * the same time, one is refused.
 */

import type { TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { encodeBytes } from '../../core/encoding/base32.ts';
import { conflict, invalidAt, limitReached, notFound, preconditionFailed } from '../../core/errors.ts';
import { decodeFeedCursor, encodeFeedCursor } from '../../core/ids/feed-cursor.ts';
import type { RandomBytes } from '../../core/ids/ids.ts';
import { consumerNameForm, isConsumerName } from '../../shared/consumer-name.ts';
import type { ReadableEndpoint } from '../events/reading.ts';
import type { Consumer, ConsumerList, ConsumerPosition } from './model.ts';
import type { Conditions, ConsumerRow, ConsumersStore, Versions } from './store.ts';

const maxConsumersPerEndpoint = 50;
const versionBytes = 10;

type Versioned = { consumer: Consumer; version: string };

export type ConsumersService = ReturnType<typeof createConsumersService>;

export function createConsumersService(options: {
  store: ConsumersStore;
  clock: Pick<Clock, 'now'>;
  random: RandomBytes;
  /** The endpoint, when it belongs to the principal's team. @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<ReadableEndpoint>;
  /** The oldest time of receipt that the endpoint still shows. */
  retentionCutoff: (principal: TeamAccess, endpoint: ReadableEndpoint) => number;
}) {
  const { store, clock, random, endpoint: findEndpoint, retentionCutoff } = options;

  const toConsumers = async (
    principal: TeamAccess,
    endpoint: ReadableEndpoint,
    endpointId: string,
    rows: readonly ConsumerRow[],
  ): Promise<Consumer[]> => {
    const positions = rows.map(({ position }) => position);
    const behind = await store.countAfter(endpoint.seq, retentionCutoff(principal, endpoint), positions);
    return rows.map(({ name, position, lastSeenAt }) => ({
      name,
      cursor: encodeFeedCursor(endpointId, position),
      behind: behind.get(position) ?? 0,
      lastSeenAt,
    }));
  };

  const toVersioned = async (
    principal: TeamAccess,
    endpoint: ReadableEndpoint,
    endpointId: string,
    row: ConsumerRow,
  ): Promise<Versioned> => {
    const [consumer] = await toConsumers(principal, endpoint, endpointId, [row]);
    if (!consumer) throw notFound('consumer');
    return { consumer, version: row.version };
  };

  /** A position after the last event is from before a backup was restored: it becomes the last one. @throws invalid */
  const positionOf = async (endpointId: string, cursor: string): Promise<number> => {
    if (cursor === 'start') return 0;
    const position = cursor === 'now' ? Number.MAX_SAFE_INTEGER : decodeFeedCursor(endpointId, cursor);
    if (position === undefined) throw invalidAt(['cursor'], 'invalid', 'invalid cursor');
    return Math.min(position, await store.lastSeq());
  };

  /** Why a write changed nothing. */
  const refusal = (current: ConsumerRow | undefined, position: number, conditions: Conditions): Error => {
    if (!isMet(current, conditions)) return preconditionFailed(staleMessage(current, conditions));
    if (!current) return limitReached(`an endpoint can have ${maxConsumersPerEndpoint} consumers`);
    if (position < current.position)
      return conflict('this position is before the consumer’s: send `"rewind": true` to go back');
    return conflict('the consumer was changed at the same time: try again');
  };

  return {
    /** @throws not_found */
    async list(principal: TeamAccess, endpointId: string): Promise<ConsumerList> {
      const endpoint = await findEndpoint(principal, endpointId);
      return { consumers: await toConsumers(principal, endpoint, endpointId, await store.listOf(endpoint.seq)) };
    },

    /** @throws not_found */
    async consumer(principal: TeamAccess, endpointId: string, name: string): Promise<Versioned> {
      const endpoint = await findEndpoint(principal, endpointId);
      const row = await store.find(endpoint.seq, name);
      if (!row) throw notFound('consumer');
      return toVersioned(principal, endpoint, endpointId, row);
    },

    /**
     * Creates a consumer or moves it.
     * @throws invalid, not_found for the endpoint, precondition_failed, conflict for a position before its own, limit_reached
     */
    async put(
      principal: TeamAccess,
      endpointId: string,
      { name, cursor, rewind = false, ...conditions }: ConsumerPosition & Conditions & { name: string },
    ): Promise<Versioned> {
      const endpoint = await findEndpoint(principal, endpointId);
      if (!isConsumerName(name)) throw invalidAt(['name'], consumerNameForm, `invalid name: ${consumerNameForm}`);
      const position = await positionOf(endpointId, cursor);
      const row = { name, position, version: encodeBytes(random(versionBytes)), lastSeenAt: clock.now() };
      const isWritten = await store.put(endpoint.seq, row, {
        rewind,
        limit: maxConsumersPerEndpoint,
        ...conditions,
      });
      if (isWritten) return toVersioned(principal, endpoint, endpointId, row);
      // The endpoint may have been deleted since it was found.
      await findEndpoint(principal, endpointId);
      throw refusal(await store.find(endpoint.seq, name), position, conditions);
    },

    /** @throws not_found for the endpoint or the consumer, precondition_failed */
    async remove(
      principal: TeamAccess,
      endpointId: string,
      { name, ...conditions }: Conditions & { name: string },
    ): Promise<void> {
      const endpoint = await findEndpoint(principal, endpointId);
      const row = await store.find(endpoint.seq, name);
      if (!row) throw notFound('consumer');
      if (!isMet(row, conditions)) throw preconditionFailed(staleMessage(row, conditions));
      const isRemoved = await store.remove(
        endpoint.seq,
        name,
        conditions.ifMatch === undefined ? undefined : row.version,
      );
      if (!isRemoved) throw preconditionFailed(staleMessage(row, conditions));
    },
  };
}

const isIn = (versions: NonNullable<Versions>, current: ConsumerRow | undefined): boolean =>
  current !== undefined && (versions === '*' || versions.includes(current.version));

const isMet = (current: ConsumerRow | undefined, { ifMatch, ifNoneMatch }: Conditions): boolean =>
  (ifMatch === undefined || isIn(ifMatch, current)) && (ifNoneMatch === undefined || !isIn(ifNoneMatch, current));

const staleMessage = (current: ConsumerRow | undefined, { ifMatch }: Conditions): string => {
  if (!current) return 'the consumer does not exist';
  return ifMatch === undefined ? 'the consumer exists' : 'the consumer has changed: read it again';
};
