/* Test events, which take the path of deliveries. */
import { createTestEventsService } from '../features/test-events/service.ts';
import type { CoreServices } from './core.ts';

export const wireTestEvents = ({ endpoints, registry, secrets, capture, clock, random }: CoreServices) => ({
  testEvents: createTestEventsService({
    endpoint: endpoints.owned,
    findAddress: registry.find,
    urlOf: endpoints.urlOf,
    testSecret: secrets.testSecret,
    record: capture.record,
    clock,
    random,
  }),
});
