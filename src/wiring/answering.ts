/* Custom answers in the capture path: how they are decided, and how many of them may hold a connection. */
import { unavailable } from '../core/errors.ts';
import { readFieldLines } from '../core/headers.ts';
import { createSequencesStore } from '../features/answers/store.ts';
import { urlsOf } from '../features/secrets/recognition.ts';
import { createAnswerer } from '../ingest/answers/answerer.ts';
import { createDelayedResponses } from '../ingest/answers/delayed-responses.ts';
import { createSequences } from '../ingest/answers/sequences.ts';
import { verify } from '../platforms/platforms.ts';
import type { WiredEndpoints } from './endpoints.ts';
import type { Infrastructure } from './infrastructure.ts';

export function wireAnswering({
  infrastructure: { clock, direct, journal, overrides },
  registry,
}: WiredEndpoints & { infrastructure: Infrastructure }) {
  const store = createSequencesStore(direct.client);
  /** Whether the journal of an earlier process has been filed. */
  let isRecovered = journal === undefined;
  const holds = createDelayedResponses({
    teamOf: seq => registry.endpointOf(seq)?.teamId,
    ...overrides.heldAnswers,
  });
  const sequences = createSequences({
    load: async (_endpoint, keys) => {
      isRecovered ||= (await journal?.areAllFiled()) ?? true;
      if (!isRecovered) throw unavailable('the deliveries before this one cannot be stored, try again', 5);
      return direct.captureRead(store.states(keys));
    },
    isUnfiled: journal?.isUnfiled,
  });
  const answerer = createAnswerer({
    sequences,
    holds,
    verdictOf: ({ destination, delivery, platform }) => {
      const { method, path, query, body, fields, receivedAt } = delivery;
      const raw = { method, path, query, body, rawHeaders: readFieldLines(fields) };
      const { url, secrets } = destination;
      const found = verify({ delivery: raw, platform, secrets, receivedAt, urls: urlsOf(url, raw) });
      return found?.verdict ?? 'none';
    },
    monotonic: clock.monotonic,
  });
  return { answerer, holds, forgetSequences: sequences.forgetFiled };
}
