/* Forwards: their constants, and their settings as the API and declared endpoints read them. */
import { parseDuration } from '../shared/units.ts';
import { invalid } from './errors.ts';
import { createFieldReader } from './filter/field-value.ts';
import { readKeptDestination } from './network/destination.ts';
import { fieldsOfRequest } from './replay/replay-headers.ts';
import { readName } from './text.ts';
import { parseWhere } from './where.ts';

export const forwardModes = ['parallel', 'ordered'] as const;
export const forwardSigns = ['as-captured', 'fresh'] as const;
export const forwardPers = ['event', 'delivery'] as const;
export const forwardStates = ['ok', 'probing', 'paused'] as const;
export const forwardDeliveryStates = ['waiting', 'failed', 'given_up'] as const;
export type ForwardDeliveryState = (typeof forwardDeliveryStates)[number];

/** The kind of the queues of forwards. */
export const forwardQueue = 'forward';
export const maxForwardsPerEndpoint = 5;
/** How often an event may have been forwarded on its way: the fourth time is given up. */
export const maxHops = 3;
export const hopsHeader = 'x-hooktape-hops';
export const maxForwardHeaders = 50;
export const maxTimeoutS = 120;
const maxHeaderValueCharacters = 8192;
const maxDelayMs = 24 * 3_600_000;
const maxForMs = 30 * 24 * 3_600_000;

/** Durations as they were written. */
export type ForwardRetry = { for: string; first: string; max: string };
const defaultRetry: ForwardRetry = { for: '24h', first: '5s', max: '1h' };

export type ForwardSettings = {
  name: string;
  url: string;
  where: string;
  mode: (typeof forwardModes)[number];
  orderBy: string | null;
  sign: (typeof forwardSigns)[number];
  headers: [string, string][];
  timeoutS: number;
  retry: ForwardRetry;
  per: (typeof forwardPers)[number];
  enabled: boolean;
};
export type GivenForward = Omit<Partial<ForwardSettings>, 'retry' | 'where'> & {
  where?: string | null;
  retry?: Partial<ForwardRetry>;
};

/** The settings, with defaults for missing ones. @param before the former settings; default: a new forward @throws invalid */
export function readForward(given: GivenForward, before?: ForwardSettings): ForwardSettings {
  const defaults: Omit<ForwardSettings, 'name' | 'url'> = {
    where: '',
    mode: 'parallel',
    orderBy: null,
    sign: 'as-captured',
    headers: [],
    timeoutS: 30,
    retry: defaultRetry,
    per: 'event',
    enabled: true,
  };
  const known = { name: '', url: '', ...defaults, ...before };
  const read: ForwardSettings = {
    ...known,
    ...given,
    where: (given.where === undefined ? known.where : (given.where ?? '')).trim(),
    retry: fittingRetry(known.retry, given.retry),
  };
  // Without lanes, the field that made them has no use.
  if (read.mode === 'parallel' && given.orderBy === undefined) read.orderBy = null;
  read.name = readName(read.name);
  readKeptDestination(read.url);
  parseWhere(read.where);
  if (read.orderBy !== null) {
    if (read.mode === 'parallel') throw invalid('orderBy goes with mode "ordered"');
    createFieldReader(read.orderBy);
  }
  if (!Number.isInteger(read.timeoutS) || read.timeoutS < 1 || read.timeoutS > maxTimeoutS)
    throw invalid(`timeoutS must be 1 to ${maxTimeoutS}`);
  retryMs(read.retry);
  checkHeaders(read.headers);
  // A forward from before this was refused can still be changed in other ways.
  if ((given.sign ?? given.headers) !== undefined && read.sign === 'fresh' && read.headers.length > 0)
    throw invalid(
      'headers: a forward with sign "fresh" adds none, because a stored secret signs only unchanged events: leave them out, or use "as-captured"',
    );
  return read;
}

/** Of `first` and `max`, the one that is not given follows the other, so that either can be given alone. */
function fittingRetry(known: ForwardRetry, given: Partial<ForwardRetry> = {}): ForwardRetry {
  const retry = { ...known, ...given };
  const [first = 0, max = 0] = [parseDuration(retry.first), parseDuration(retry.max)];
  if (max >= first || (given.first !== undefined && given.max !== undefined)) return retry;
  return given.max === undefined ? { ...retry, max: retry.first } : { ...retry, first: retry.max };
}

/** @throws invalid */
export function retryMs(retry: ForwardRetry): { forMs: number; firstMs: number; maxMs: number } {
  const ms = (name: keyof ForwardRetry, least: number, most: number): number => {
    const found = parseDuration(retry[name]);
    if (found === undefined || found < least || found > most)
      throw invalid(`retry.${name} must be a duration such as ${defaultRetry[name]}`);
    return found;
  };
  const firstMs = ms('first', 1, maxDelayMs);
  const maxMs = ms('max', 1, maxDelayMs);
  if (maxMs < firstMs) throw invalid('retry.max must not be shorter than retry.first');
  return { forMs: ms('for', 0, maxForMs), firstMs, maxMs };
}

/** @throws invalid */
function checkHeaders(headers: readonly (readonly [string, string])[]): void {
  if (headers.length > maxForwardHeaders) throw invalid(`headers must be at most ${maxForwardHeaders}`);
  for (const [name, value] of headers) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/.test(name)) throw invalid('headers: a name is not a header name');
    if (!/^[\t\x20-\x7e]*$/.test(value) || value.length > maxHeaderValueCharacters)
      throw invalid(`headers: the value of ${name} must be printable ASCII`);
    if ([...fieldsOfRequest, hopsHeader, 'x-hooktape-edited'].includes(name.toLowerCase()))
      throw invalid(`headers: ${name} is set for each request`);
  }
}
