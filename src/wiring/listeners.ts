/* Listeners that are connected, such as `hooktape listen`. */

import type { CreateSlices } from '../core/concurrency/time-slices.ts';
import type { EndpointsService } from '../features/endpoints/service.ts';
import type { EventsService } from '../features/events/service.ts';
import { createConnections } from '../features/listeners/connections.ts';
import { createReplaysWriter } from '../features/listeners/replays-stream.ts';
import { createListenersService } from '../features/listeners/service.ts';
import type { Infrastructure } from './infrastructure.ts';

type ListenersDependencies = {
  infrastructure: Infrastructure;
  endpoints: EndpointsService;
  events: EventsService;
  createSlices: CreateSlices;
};

export function wireListeners({ infrastructure, endpoints, events, createSlices }: ListenersDependencies) {
  const { clock, random } = infrastructure;
  const listeners = createListenersService({
    connections: createConnections({ clock, random }),
    clock,
    endpoint: endpoints.owned,
    summaries: events.listBySeq,
    writeReplays: createReplaysWriter({ createSlices }),
  });
  return { listeners };
}
