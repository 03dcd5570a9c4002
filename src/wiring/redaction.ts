/* The operations on the redaction rules of endpoints. */
import type { ContentReads } from '../core/concurrency/content-reads.ts';
import type { EndpointRegistry } from '../features/endpoints/registry.ts';
import type { EndpointsService } from '../features/endpoints/service.ts';
import type { EventsService } from '../features/events/service.ts';
import { createRedactionPreview } from '../features/redaction/preview.ts';
import { createRedactionService } from '../features/redaction/service.ts';
import { createRedactionStore } from '../features/redaction/store.ts';
import { createContents } from './contents.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Policies } from './policies.ts';

type RedactionDependencies = {
  infrastructure: Infrastructure;
  endpoints: EndpointsService;
  events: EventsService;
  contentReads: ContentReads;
  registry: EndpointRegistry;
  policies: Policies;
  /** Resolves once the events that were accepted before are stored. */
  acceptedStored: () => Promise<void>;
};

export function wireRedaction(dependencies: RedactionDependencies) {
  const { endpoints, events, contentReads, registry, policies, acceptedStored } = dependencies;
  const { clock, direct, redactionKeyOf } = dependencies.infrastructure;
  const redaction = createRedactionService({
    store: createRedactionStore(direct.db),
    clock,
    endpoint: endpoints.owned,
    onChanged: async (endpoint, row) => {
      const prepared = await policies.redactionOf(endpoint, row);
      // Another process may have created the endpoint.
      if (!registry.endpointOf(endpoint.seq)) await registry.refresh();
      registry.setPolicy(endpoint.seq, policy => ({ ...policy, redaction: prepared }));
      await acceptedStored();
    },
  });
  const previewRedaction = createRedactionPreview({
    list: (reader, query) => events.list(reader, query, reader.signal),
    contents: createContents(endpoints, events),
    contentReads,
    keyOf: redactionKeyOf,
    clock,
  });
  return { redaction, previewRedaction };
}
