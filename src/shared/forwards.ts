/* The choices, limits and defaults of a forward's settings. */

export const forwardModes = ['parallel', 'ordered'] as const;
export const forwardSigns = ['as-captured', 'fresh', 'own'] as const;
export const forwardPers = ['event', 'delivery'] as const;
export const requestMethods = ['POST', 'PUT', 'PATCH'] as const;

export const maxForwardsPerEndpoint = 5;
export const maxForwardHeaders = 50;
export const maxHeaderNameCharacters = 200;
export const maxHeaderValueCharacters = 8192;
export const maxOrderByCharacters = 500;
export const maxForwardTimeoutS = 120;
export const maxContentTypeCharacters = 200;
/** The most bytes of a template for the body of a request. */
export const maxTemplateBytes = 64 << 10;
/** `retry.first` and `retry.max`. */
export const maxRetryDelayMs = 24 * 3_600_000;
/** `retry.for`. */
export const maxRetryForMs = 30 * 24 * 3_600_000;

/** Durations as they were written. */
export type ForwardRetry = { for: string; first: string; max: string };

/** What is sent in place of the event. `body`: a template (shared/placeholders.ts). */
export type ForwardRequest = { method: (typeof requestMethods)[number]; contentType: string; body: string };

export type ForwardSettings = {
  name: string;
  url: string;
  where: string;
  mode: (typeof forwardModes)[number];
  orderBy: string | null;
  /** null: the event as it came. */
  request: ForwardRequest | null;
  sign: (typeof forwardSigns)[number];
  headers: [string, string][];
  timeoutS: number;
  retry: ForwardRetry;
  per: (typeof forwardPers)[number];
  enabled: boolean;
};

/** The settings of a forward that is given only a name and a URL. */
export const forwardDefaults: Readonly<ForwardSettings> = {
  name: '',
  url: '',
  where: '',
  mode: 'parallel',
  orderBy: null,
  request: null,
  sign: 'as-captured',
  headers: [],
  timeoutS: 30,
  retry: { for: '24h', first: '5s', max: '1h' },
  per: 'event',
  enabled: true,
};
