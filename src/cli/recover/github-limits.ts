/* GitHub's rate limits: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api */
import { retryAfterMs } from '../../core/network/retry-after.ts';

type Limited = { status: number; headers: Headers; text: string };

/** For a secondary limit without `retry-after`: the first wait, which doubles with each refusal. */
const secondaryMs = 60_000;
const leastMs = 1000;

/** How long until the limit ends, if no request is left. GitHub's clock counts, if its response has a time. */
export function resetMs(headers: Headers, now: number): number | undefined {
  const reset = headers.get('x-ratelimit-reset') ?? '';
  if (headers.get('x-ratelimit-remaining') !== '0' || !/^\d{1,12}$/.test(reset)) return undefined;
  const date = Date.parse(headers.get('date') ?? '');
  return Math.max(leastMs, Number(reset) * 1000 - (Number.isNaN(date) ? now : date));
}

/** @param refusals how often the request was refused before @returns how long to wait; undefined if it was not a limit */
export function limitMs({ status, headers, text }: Limited, refusals: number, now: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const retryMs = retryAfterMs([...headers], now);
  if (retryMs !== undefined) return Math.max(leastMs, retryMs);
  const isLimit = status === 429 || /rate limit|abuse/i.test(text);
  return resetMs(headers, now) ?? (isLimit ? secondaryMs * 2 ** Math.min(refusals, 10) : undefined);
}
