/*
 * What an endpoint asks of its senders before it takes a delivery. All conditions that are given must hold. A guard is checked by
 * check.ts, read from what a person or a file says by read.ts, and its token is kept out of storage by redact.ts.
 */

export type Guard = {
  /** Upper case. */
  methods?: string[];
  /** Networks of IPv4 or IPv6, as written. */
  cidrs?: string[];
  basic?: { user: string; password: string };
  token?: { in: 'header' | 'query'; name: string; value: string };
  /** Whether refused deliveries are stored, with the status that their sender got. */
  onRefuse: 'record' | 'drop';
};

/** The statuses of a refusal. */
export type RefusedStatus = 401 | 403 | 405;

/** Shown in the place of a secret; sent back, it keeps the secret. */
export const shownSecret = '[set]';
