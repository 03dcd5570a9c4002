/** The number of counts of an endpoint's last 24 hours. */
export const activityBuckets = 24;

export const minRetentionMs = 1000;
/** Where the plan keeps events for ever. */
export const maxRetentionMs = 36_500 * 24 * 3_600_000;

/** `learnSecretsFor`: how long the next secret of a handshake is confirmed without a question. */
export const maxLearnMs = 24 * 3_600_000;

/** How long a replaced URL takes deliveries. */
export const defaultOverlap = '24h';
export const maxOverlapMs = 30 * 24 * 3_600_000;
export const maxPreviousUrls = 5;
