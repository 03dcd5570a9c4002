/* Taking history out, bringing it back in, and sending an event again. */
import { isLoopbackOrigin } from '../core/address-classes.ts';
import { createMatcher, type Matcher } from '../core/search-text.ts';
import type { Turn } from '../core/stream-pace.ts';
import { createExportsService } from '../features/exports/service.ts';
import { createExportsStore } from '../features/exports/store.ts';
import { createImportsService } from '../features/imports/service.ts';
import { createImportsStore } from '../features/imports/store.ts';
import { createReplaysService } from '../features/replays/service.ts';
import { createReplaysStore } from '../features/replays/store.ts';
import { handshakeAnswer } from '../features/secrets/recognition.ts';
import { stored } from '../ingest/answers.ts';
import { preview } from '../ingest/row-encoder.ts';
import { packRows } from '../ingest/store.ts';
import { createOutbound } from '../net/outbound.ts';
import type { Endpoints } from './endpoints.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { IngestWiring } from './ingest.ts';
import type { Observability } from './observability.ts';

/** The export's filter is the list's: the same text, folded the same way. A large body is read in turns with other work. */
const textMatcher = (q: string, turn: Turn) => {
  const matcher = createMatcher(q);
  const go = (steps: ReturnType<Matcher>): boolean | Promise<boolean> => {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      const pause = turn();
      if (pause) return pause.then(() => go(steps));
    }
  };
  return ({ eventType, body }: { eventType: string | null; body: Uint8Array }) => go(matcher(eventType, body));
};

export type History = ReturnType<typeof createHistory>;

export function createHistory(
  infrastructure: Infrastructure,
  { endpoints, secrets }: Endpoints,
  { events, search, captureStore, capture, turns }: IngestWiring,
  { metrics }: Observability,
) {
  const { config, log, clock, random, database, version } = infrastructure;

  const exports = createExportsService({
    store: createExportsStore(database.scanClient),
    endpoint: endpoints.counted,
    toEndpoint: endpoints.toEndpoint,
    retentionCutoff: events.retentionCutoff,
    turns,
    answer: ({ seq, token }, { id, row, headers, body }) => {
      const { method, path, query, platform, eventType, receivedAt } = row;
      const known = { url: endpoints.urlOf(token), secrets: secrets.secretsAt(seq, receivedAt) };
      const delivery = { method, path, query, rawHeaders: headers, body };
      return stored(id, handshakeAnswer(known, { delivery, detection: { platform, eventType }, receivedAt }));
    },
    matcher: (q, turn) => {
      search.checkTerm(q);
      return textMatcher(q, turn);
    },
    clock,
    version,
    onDamaged: (endpointId, { count, ids }) =>
      log.error('events are damaged on disk and not in the export', { endpointId, count, first: ids[0] }),
  });
  const imports = createImportsService({
    store: createImportsStore(database.db),
    insert: events => captureStore.insert([packRows(events)]),
    preview,
    retentionCutoff: events.retentionCutoff,
    isBusy: () => capture.depth() > 0,
    onImported: search.wake,
    random,
  });
  const outbound = createOutbound({
    allow: config.replayAllow,
    allowLoopback: isLoopbackOrigin(config.baseUrl),
    clock,
  });
  const replays = createReplaysService({
    store: createReplaysStore(database.db),
    getStored: events.getStored,
    send: outbound.send,
    clock,
    timeoutMs: config.replayTimeoutMs,
    onAttempt: metrics.replay,
  });
  return { exports, imports, outbound, replays };
}
