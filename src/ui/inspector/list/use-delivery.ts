/* Loads deliveries with their attempts for the rows of the list: two at a time, and cached until they have other attempts. */

import { useEffect, useState } from 'preact/hooks';
import type { Delivery } from '../../../features/deliveries/model.ts';
import type { DeliveryPlace } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';

const maxCached = 200;
const maxRequests = 2;
const settleMs = 150;

type Cached = { attempts: number; delivery: Delivery };
const cache = new Map<string, Cached>();
const waiting: (() => Promise<void>)[] = [];
let running = 0;

/** Called on sign-out. */
export const clearDeliveryCache = (): void => cache.clear();

const startNext = (): void => {
  while (running < maxRequests) {
    const load = waiting.shift();
    if (!load) return;
    running++;
    void load().finally(() => {
      running--;
      startNext();
    });
  }
};

/** The delivery; undefined until it is loaded, or when there is nothing to load. A delivery with a new attempt is shown without it until then. */
export function useDelivery(endpointId: string, place: DeliveryPlace | undefined): Delivery | undefined {
  const [, setLoads] = useState(0);
  const { key = '', attempts = 0 } = place ?? {};
  const name = `${endpointId} ${key}`;
  const cached = key === '' ? undefined : cache.get(name);
  const isStale = key !== '' && cached?.attempts !== attempts;
  useEffect(() => {
    if (!isStale) return;
    let isWanted = true;
    const load = async (): Promise<void> => {
      if (!isWanted) return;
      const delivery = await api.delivery(endpointId, key).catch(() => undefined);
      if (!delivery) return;
      cache.delete(name);
      cache.set(name, { attempts, delivery });
      for (const old of cache.keys()) {
        if (cache.size <= maxCached) break;
        cache.delete(old);
      }
      if (isWanted) setLoads(n => n + 1);
    };
    const timer = setTimeout(() => {
      waiting.push(load);
      startNext();
    }, settleMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [name, attempts, isStale]);
  return cached?.delivery;
}
