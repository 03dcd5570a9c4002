/* The operations on the rules of endpoints. */

import type { ContentReads } from '../core/concurrency/content-reads.ts';
import { latin1 } from '../core/encoding/buffer.ts';
import { createAnswersService } from '../features/answers/service.ts';
import { createAnswersStore } from '../features/answers/store.ts';
import type { EndpointRegistry } from '../features/endpoints/registry.ts';
import type { EndpointsService } from '../features/endpoints/service.ts';
import type { EventsService } from '../features/events/service.ts';
import type { SecretsService } from '../features/secrets/service.ts';
import { createAnswers } from './answers.ts';
import { createContents } from './contents.ts';
import type { Infrastructure } from './infrastructure.ts';

type AnswerRulesDependencies = {
  infrastructure: Infrastructure;
  endpoints: EndpointsService;
  registry: EndpointRegistry;
  secrets: SecretsService;
  events: EventsService;
  contentReads: ContentReads;
};

export function wireAnswerRules(dependencies: AnswerRulesDependencies) {
  const { endpoints, registry, events, contentReads } = dependencies;
  const { clock, direct } = dependencies.infrastructure;
  const sentAnswers = createAnswers(dependencies);
  const answers = createAnswersService({
    store: createAnswersStore(direct.db),
    clock,
    endpoint: endpoints.owned,
    onChanged: (endpoint, rules) => registry.setPolicy(endpoint, policy => ({ ...policy, rules })),
    newest: async (reader, endpointId, limit) =>
      (await events.list(reader, { endpointId, limit: String(limit) }, reader.signal)).events,
    contentReads,
    contents: createContents(endpoints, events),
    handshakeStatus: (endpoint, { path, query, ...event }) =>
      sentAnswers.handshakeTo(endpoint, { ...event, path: latin1(path), query: query && latin1(query) })?.status,
  });
  return { answers };
}
