/* The names of forwards, for the history of an event's replays. */

import type { Forward } from '../../../features/forwards/model.ts';
import { call } from '../../kit/api.ts';
import { useQuery } from '../../kit/use-query.ts';

/** The names of an endpoint's forwards by URL. Empty while they load, or when they are not needed. */
export function useForwardNames(endpointId: string, isNeeded: boolean): ReadonlyMap<string, string> {
  const { value = [] } = useQuery(isNeeded ? endpointId : '', async () =>
    isNeeded ? (await call<{ forwards: Forward[] }>('GET', `/api/endpoints/${endpointId}/forwards`)).forwards : [],
  );
  return new Map(value.map(({ url, name }) => [url, name]));
}
