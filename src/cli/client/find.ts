/* Resolves an ENDPOINT or an EVENT on the command line. */
import type { Endpoint } from '../../features/endpoints/model.ts';
import type { EventPage } from '../../features/events/model.ts';
import { didYouMean } from '../../shared/suggest.ts';
import { OperationError, UsageError } from '../io.ts';
import type { Api } from './api.ts';

const endpointId = /^ep_[0-9a-z]{20,}$/;
const ingestPath = /\/in\/([^/?#]+)/;
const pinPage = 100;

export const listEndpoints = async (api: Api): Promise<Endpoint[]> =>
  (await api.call<{ endpoints: Endpoint[] }>('GET', '/api/endpoints')).endpoints;

const tokenOf = (url: string): string | undefined => ingestPath.exec(URL.parse(url)?.pathname ?? '')?.[1];

/** @param given an id, a name or an ingest URL @throws UsageError if several endpoints fit, OperationError if none */
export async function findEndpointId(api: Api, given: string): Promise<string> {
  return endpointId.test(given) ? given : (await findEndpoint(api, given)).id;
}

/**
 * Like `findEndpointId`, but returns the endpoint.
 * @param spelling in `any case`, a name in other upper and lower case also finds its endpoint, if exactly one fits
 */
export async function findEndpoint(
  api: Api,
  given: string,
  spelling: 'any case' | 'exact' = 'any case',
): Promise<Endpoint> {
  if (given === '') throw new UsageError('the name of the endpoint is empty: is the variable ENDPOINT set?');
  const all = await listEndpoints(api);
  // The host may be a different name of the same server, so only the token counts.
  const token = /^https?:/i.test(given) ? tokenOf(given) : undefined;
  const exact = all.find(({ id, url }) => id === given || (token !== undefined && tokenOf(url) === token));
  if (exact) return exact;
  const named = all.filter(({ name }) => name === given);
  const [first] = named;
  if (named.length > 1)
    throw new UsageError(`${named.length} endpoints are named ${given}; use an id: ${idsOf(named)}`);
  if (first) return first;
  const similar = all.filter(({ name }) => name.toLowerCase() === given.toLowerCase());
  if (spelling === 'any case' && similar.length === 1 && similar[0]) return similar[0];
  const names = all.map(({ name }) => name);
  throw new OperationError(`no endpoint ${given} on ${api.server.url}${didYouMean(given, names)}`);
}

const idsOf = (things: readonly { id: string }[]): string => things.map(({ id }) => id).join(', ');

/** @param given an id, or @NAME of a pinned event @throws UsageError if several events fit, OperationError if none */
export async function findEventId(api: Api, given: string): Promise<string> {
  if (!given.startsWith('@')) return given;
  const name = given.slice(1);
  const endpoints = (await listEndpoints(api)).filter(({ eventCount }) => eventCount > 0);
  const found = (await Promise.all(endpoints.map(({ id }) => findPin(api, id, name)))).flat();
  const [first] = found;
  if (found.length > 1)
    throw new UsageError(`${given} is pinned in ${found.length} endpoints; use an event id: ${idsOf(found)}`);
  if (!first) throw new OperationError(`no event is pinned as ${given} on ${api.server.url}`);
  return first.id;
}

async function findPin(api: Api, endpoint: string, name: string): Promise<{ id: string }[]> {
  for (let cursor: string | undefined; ; ) {
    const query = { endpointId: endpoint, where: 'is:pinned', limit: pinPage, cursor };
    const page: EventPage = await api.call('GET', '/api/events', { query });
    const found = page.events.filter(({ pin }) => pin?.name === name);
    if (found.length > 0 || page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
}
