/*
 * The conditions under which an endpoint accepts a delivery. All given conditions must hold. A guard is checked by
 * check.ts, read from a request or a file by read.ts, and its token is kept out of storage by redact.ts.
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

/** Shown instead of a secret. Sending it back keeps the secret. */
export const shownSecret = '[set]';
