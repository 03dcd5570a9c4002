/* The forwards of an endpoint, looked at again and again. */

import type { Forward, ForwardStats } from '../../features/forwards/model.ts';
import { type Query, usePolled } from '../kit/use-query.ts';
import { forwardsApi } from './forwards-api.ts';
import { openOf } from './wording.ts';

// Two requests each time on the page of a forward, of 120 a minute by default.
const busyMs = 3000;
const idleMs = 10_000;
/** The time between two requests for the figures of one forward. An endpoint has at most five forwards. */
const statsMs = 15_000;

const paceOf = (forwards: readonly Forward[]): number => (forwards.some(one => openOf(one) > 0) ? busyMs : idleMs);

export const useForwards = (endpointId: string): Query<Forward[]> =>
  usePolled(
    endpointId,
    () => forwardsApi.list(endpointId),
    forwards => forwards.length > 0,
    paceOf,
  );

export const useForward = (endpointId: string, id: string): Query<Forward> =>
  usePolled(
    `${endpointId} ${id}`,
    () => forwardsApi.forward(endpointId, id),
    () => true,
    forward => paceOf([forward]),
  );

export const useForwardStats = (endpointId: string, id: string): Query<ForwardStats> =>
  usePolled(
    `${endpointId} ${id}`,
    () => forwardsApi.stats(endpointId, id),
    () => true,
    () => statsMs,
  );
