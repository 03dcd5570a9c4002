/* Test events, which take the path of deliveries. */
import type { EndpointRegistry } from '../features/endpoints/registry.ts';
import type { EndpointsService } from '../features/endpoints/service.ts';
import type { SecretsService } from '../features/secrets/service.ts';
import { createTestEventsService } from '../features/test-events/service.ts';
import type { CaptureService } from '../ingest/capture.ts';
import type { Infrastructure } from './infrastructure.ts';

type TestEventsDependencies = {
  infrastructure: Infrastructure;
  endpoints: EndpointsService;
  registry: EndpointRegistry;
  secrets: SecretsService;
  capture: CaptureService;
};

export function wireTestEvents({ infrastructure, endpoints, registry, secrets, capture }: TestEventsDependencies) {
  const { clock, random } = infrastructure;
  const testEvents = createTestEventsService({
    endpoint: endpoints.owned,
    findAddress: registry.find,
    urlOf: endpoints.urlOf,
    testSecret: secrets.testSecret,
    record: capture.record,
    clock,
    random,
  });
  return { testEvents };
}
