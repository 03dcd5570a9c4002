/* Listeners that are connected, such as `hooktape listen`. */
import { createConnections } from '../features/listeners/connections.ts';
import { createReplaysWriter } from '../features/listeners/replays-stream.ts';
import { createListenersService } from '../features/listeners/service.ts';
import type { EndpointsWiring } from './endpoints.ts';
import type { EventsWiring } from './events.ts';
import type { Infrastructure } from './infrastructure.ts';

export type ListenersWiring = ReturnType<typeof createListenersWiring>;

export function createListenersWiring(
  { clock, random }: Infrastructure,
  { endpoints }: EndpointsWiring,
  { events, createSlices }: EventsWiring,
) {
  const listeners = createListenersService({
    connections: createConnections({ clock, random }),
    clock,
    endpoint: endpoints.owned,
    summaries: events.listBySeq,
    writeReplays: createReplaysWriter({ createSlices }),
  });
  return { listeners };
}
