/* The operations on the rules of endpoints. */

import type { TeamAccess } from '../core/access/principal.ts';
import { groupBySize } from '../core/blocks/group-by-size.ts';
import type { ContentRead, ContentReads } from '../core/concurrency/content-reads.ts';
import { latin1 } from '../core/encoding/buffer.ts';
import { createAnswersService } from '../features/answers/service.ts';
import { createAnswersStore } from '../features/answers/store.ts';
import type { EndpointRegistry } from '../features/endpoints/registry.ts';
import type { EndpointsService } from '../features/endpoints/service.ts';
import type { EventsService } from '../features/events/service.ts';
import type { SecretsService } from '../features/secrets/service.ts';
import { createAnswers } from './answers.ts';
import type { Infrastructure } from './infrastructure.ts';

/** Bodies that a preview holds together. A larger one is held alone. */
const maxHeldBytes = 4 << 20;

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
  const readContents = async function* (
    principal: TeamAccess,
    id: string,
    sized: readonly { seq: number; size: number }[],
    read: ContentRead,
  ) {
    const endpoint = await endpoints.owned(principal, id);
    const scope = { endpoint: endpoint.seq, since: events.retentionCutoff(principal, endpoint) };
    for (const group of groupBySize(sized, maxHeldBytes)) yield* await events.deliveries.contents(scope, group, read);
  };
  const answers = createAnswersService({
    store: createAnswersStore(direct.db),
    clock,
    endpoint: endpoints.owned,
    onChanged: (endpoint, rules) => registry.setPolicy(endpoint, policy => ({ ...policy, rules })),
    newest: async (reader, endpointId, limit) =>
      (await events.list(reader, { endpointId, limit: String(limit) }, reader.signal)).events,
    contentReads,
    contents: readContents,
    handshakeStatus: (endpoint, { path, query, ...event }) =>
      sentAnswers.handshakeTo(endpoint, { ...event, path: latin1(path), query: query && latin1(query) })?.status,
  });
  return { answers };
}
