/* Forwards: their constants, and their settings as the API and declared endpoints read them. */
import {
  type ForwardRequest,
  type ForwardRetry,
  type ForwardSettings,
  forwardDefaults,
  maxHeaderNameCharacters,
  maxHeaderValueCharacters,
  maxRetryDelayMs,
  maxRetryForMs,
  maxTemplateBytes,
} from '../shared/forwards.ts';
import { unknownPlaceholders } from '../shared/placeholders.ts';
import { parseDuration } from '../shared/units.ts';
import { inField, invalidAt } from './errors.ts';
import { createFieldReader } from './filter/field-value.ts';
import type { ForwardChange, ForwardRequest as GivenRequest } from './forward-schema.ts';
import { isToken } from './headers.ts';
import { readKeptDestination } from './network/destination.ts';
import { fieldsOfRequest } from './replay/replay-headers.ts';
import { webhookFields } from './secrets/standard-webhooks.ts';
import { readName } from './text.ts';
import { parseWhere } from './where.ts';

export const forwardStates = ['ok', 'probing', 'paused'] as const;
export const forwardDeliveryStates = ['waiting', 'failed', 'given_up'] as const;
export type ForwardDeliveryState = (typeof forwardDeliveryStates)[number];

export const forwardQueue = 'forward';
/** How often an event may have been forwarded on its way: the fourth time is given up. */
export const maxHops = 3;
export const hopsHeader = 'x-hooktape-hops';
/** The lengths of the periods in which attempts are counted, in minutes. Buckets of whole hours are read from hours. */
export const statsPeriods = [1, 60] as const;

/** The settings, with defaults for missing ones. @param given in the form of forward-schema.ts @param before the former settings; default: a new forward @throws invalid */
export function readForward(given: ForwardChange, before?: ForwardSettings): ForwardSettings {
  const known = { ...forwardDefaults, ...before };
  const read: ForwardSettings = {
    ...known,
    ...given,
    where: (given.where === undefined ? known.where : (given.where ?? '')).trim(),
    request: given.request === undefined ? known.request : given.request && readRequest(given.request),
    retry: fittingRetry(known.retry, given.retry),
  };
  // Without lanes, the field that made them has no use.
  if (read.mode === 'parallel' && given.orderBy === undefined) read.orderBy = null;
  read.name = inField(['name'], () => readName(read.name));
  inField(['url'], () => readKeptDestination(read.url));
  parseWhere(read.where);
  if (read.orderBy !== null) {
    const { orderBy } = read;
    if (read.mode === 'parallel') throw invalidAt(['orderBy'], 'goes with mode "ordered"');
    inField(['orderBy'], () => createFieldReader(orderBy));
  }
  retryMs(read.retry);
  checkHeaders(read);
  // A forward from before this was refused can still be changed in other ways.
  if ((given.sign ?? given.headers) !== undefined && read.sign === 'fresh' && read.headers.length > 0)
    throw invalidAt(
      ['headers'],
      'a forward with sign "fresh" adds none, because a stored secret signs only unchanged events: leave them out, or use "as-captured"',
    );
  if (read.sign === 'fresh' && read.request !== null)
    throw invalidAt(
      ['sign'],
      'a forward with a request of its own cannot re-sign, because a stored secret signs only unchanged events: use "own" or "as-captured"',
    );
  return read;
}

/** @throws invalid, with `request` in the path */
export function readRequest({ method = 'POST', contentType, body }: GivenRequest): ForwardRequest {
  if (!contentTypeForm.test(contentType))
    throw invalidAt(['request', 'contentType'], 'must be a media type such as application/json');
  if (Buffer.byteLength(body) > maxTemplateBytes)
    throw invalidAt(['request', 'body'], `must have at most ${maxTemplateBytes / 1024} KiB`);
  const [unknown] = unknownPlaceholders(body);
  if (unknown !== undefined) throw invalidAt(['request', 'body'], `unknown placeholder ${unknown}`);
  return { method, contentType, body };
}
const contentTypeForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]*;[\t\x20-\x7e]*)?$/;

/** If only `first` or only `max` is given and the two conflict, the other one is set to the same value. */
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
      throw invalidAt(['retry', name], `must be a duration such as ${forwardDefaults.retry[name]}`);
    return found;
  };
  const firstMs = ms('first', 1, maxRetryDelayMs);
  const maxMs = ms('max', 1, maxRetryDelayMs);
  if (maxMs < firstMs) throw invalidAt(['retry', 'max'], 'must not be shorter than retry.first');
  return { forMs: ms('for', 0, maxRetryForMs), firstMs, maxMs };
}

/** @throws invalid */
function checkHeaders({ headers, request, sign }: ForwardSettings): void {
  const set = [
    ...[...fieldsOfRequest, hopsHeader, 'x-hooktape-edited'],
    ...(request === null ? [] : ['content-type']),
    ...(sign === 'own' ? webhookFields : []),
  ];
  for (const [i, [name, value]] of headers.entries()) {
    if (!isToken(name) || name.length > maxHeaderNameCharacters)
      throw invalidAt(['headers', i, 0], 'is not a header name');
    if (!/^[\t\x20-\x7e]*$/.test(value) || value.length > maxHeaderValueCharacters)
      throw invalidAt(['headers', i, 1], `the value of ${name} must be printable ASCII`);
    if (set.includes(name.toLowerCase())) throw invalidAt(['headers', i, 0], `${name} is set for each request`);
  }
}
