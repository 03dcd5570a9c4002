/* The `Retry-After` header (RFC 9110 section 10.2.3): seconds, or an HTTP date. */
import { type HeaderPair, headerValue } from '../headers.ts';

/** @param now epoch ms @returns the time to wait, in ms; undefined without a valid header */
export function retryAfterMs(headers: readonly HeaderPair[], now: number): number | undefined {
  const value = headerValue(headers, 'retry-after')?.trim();
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  // An HTTP date begins with the name of a day; `Date.parse` accepts many other texts.
  const at = /^[A-Z][a-z]{2,8}, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
