/* The listeners that are connected to an endpoint, while a component shows them. */

import { useEffect } from 'preact/hooks';
import type { Listener } from '../../../features/listeners/model.ts';
import { api } from '../../kit/api.ts';
import { useQuery } from '../../kit/use-query.ts';

const reloadEveryMs = 3000;

/** Undefined until they are known. */
export function useListeners(endpointId: string): Listener[] | undefined {
  const { value, reload } = useQuery(endpointId, () => api.listeners(endpointId));
  useEffect(() => {
    const timer = setInterval(reload, reloadEveryMs);
    return () => clearInterval(timer);
  }, [reload]);
  return value;
}
