/* What tests replace. */
import type { FairSharesOptions } from '../core/concurrency/fair-shares.ts';
import type { FetchJson } from '../features/oauth/remote-jwks.ts';
import type { OAuthPolicy } from '../features/oauth/service.ts';
import type { DelayedResponsesOptions } from '../ingest/answers/delayed-responses.ts';
import type { Outbound } from '../net/outbound.ts';

/** Replacements for outbound requests and timing, for tests. */
export type TestOverrides = {
  /** Fetches client metadata documents. */
  send?: Outbound['send'];
  /** Fetches the metadata and keys of trusted issuers. */
  fetchJson?: FetchJson;
  oauth?: Partial<OAuthPolicy>;
  /** Runs before each transaction of filing, which waits for it. When it throws, filing fails. */
  beforeFiling?: () => Promise<void>;
  /** Smaller limits of answers that hold connections. */
  heldAnswers?: Omit<DelayedResponsesOptions, 'teamOf'>;
  /** How many queues are worked on at once. */
  queuePlaces?: FairSharesOptions;
};
