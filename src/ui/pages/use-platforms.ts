/* The platforms with their guides and samples: loaded when a dialog first needs them, and then kept. */

import { useEffect } from 'preact/hooks';
import type { PlatformGuide } from '../../features/test-events/model.ts';
import { api } from '../kit/api.ts';
import { type Query, useQuery } from '../kit/use-query.ts';

let known: PlatformGuide[] | undefined;

export function usePlatforms(): Query<PlatformGuide[]> {
  const query = useQuery('platforms', () => (known ? Promise.resolve(known) : api.platforms()));
  useEffect(() => {
    known = query.value ?? known;
  }, [query.value]);
  return known && !query.value ? { ...query, value: known } : query;
}
