/* The values that a filter field of a form suggests: of the endpoint's newest events and its schemas, loaded when the field is first used. */

import { useCallback, useMemo, useState } from 'preact/hooks';
import { api } from '../../kit/api.ts';
import { type SeenSources, seenValues } from './seen-values.ts';
import type { SeenSource } from './use-seen-values.ts';

/** Events have none when they are stored. */
export const withoutMarks: readonly string[] = ['tag', 'is'];
const newest = 50;
const nothing: SeenSources = { schemas: [], rows: [], event: undefined };

export function useSeen(endpointId: string): SeenSource {
  const [sources, setSources] = useState<SeenSources>();
  const load = useCallback((): void => {
    setSources(old => {
      if (!old) void loadSources(endpointId).then(setSources, () => setSources(undefined));
      return old ?? nothing;
    });
  }, [endpointId]);
  const read = useCallback(() => seenValues(sources ?? nothing), [sources]);
  return useMemo(() => ({ load, read }), [load, read]);
}

async function loadSources(endpointId: string): Promise<SeenSources> {
  const [schemas, { events }] = await Promise.all([
    api.schemas(endpointId),
    api.events(endpointId, undefined, '', { limit: newest }),
  ]);
  const [first] = events;
  return { schemas, rows: events, event: first && (await api.event(first.id)) };
}
