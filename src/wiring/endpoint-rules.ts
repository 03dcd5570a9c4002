/* The operations on the rules of endpoints: custom answers and redaction. */
import { latin1 } from '../core/encoding/buffer.ts';
import { createAnswersService } from '../features/answers/service.ts';
import { createAnswersStore } from '../features/answers/store.ts';
import { createRedactionPreview } from '../features/redaction/preview.ts';
import { createRedactionService } from '../features/redaction/service.ts';
import { createRedactionStore } from '../features/redaction/store.ts';
import { createAnswers } from './answers.ts';
import { createContents } from './contents.ts';
import type { CoreServices } from './core.ts';

export function wireEndpointRules(services: CoreServices) {
  const { clock, direct, endpoints, registry, events, contentReads, policies, acceptedStored, redactionKeyOf } =
    services;
  const contents = createContents(endpoints, events);
  const sentAnswers = createAnswers(services);
  const answers = createAnswersService({
    store: createAnswersStore(direct.db),
    clock,
    endpoint: endpoints.owned,
    onChanged: (endpoint, rules) => registry.setPolicy(endpoint, policy => ({ ...policy, rules })),
    newest: async (reader, endpointId, limit) =>
      (await events.list(reader, { endpointId, limit: String(limit) }, reader.signal)).events,
    contentReads,
    contents,
    handshakeStatus: (endpoint, { path, query, ...event }) =>
      sentAnswers.handshakeTo(endpoint, { ...event, path: latin1(path), query: query && latin1(query) })?.status,
  });
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
    contents,
    contentReads,
    keyOf: redactionKeyOf,
    clock,
  });
  return { answers, redaction, previewRedaction };
}
