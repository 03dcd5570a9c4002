/* Reads the name and the arguments of a subscription, which polls and streams have, too. */
import type { TeamAccess } from '../../core/access/principal.ts';
import { AppError, invalid, invalidFields, within } from '../../core/errors.ts';
import { eventsNotFound } from '../../core/mcp-events/errors.ts';
import { readFields } from '../../core/read-fields.ts';
import { parseWhere } from '../../core/where.ts';
import type { Filter } from '../../shared/filter/filter.ts';
import type { EndpointsService } from '../endpoints/service.ts';
import { type EventArguments, type EventName, eventArguments, eventNames } from './model.ts';

/** What a client wants to hear about. The endpoint was found once: renaming it changes nothing. */
export type Watch =
  | {
      name: 'webhook.received';
      endpointId: string;
      filter: Filter;
      per: 'delivery' | 'event';
      content: 'summary' | 'full';
    }
  | { name: 'alert.changed'; endpointId: string | undefined };
export type WatchOf<N extends EventName> = Extract<Watch, { name: N }>;

export const isEventName = (name: unknown): name is EventName => eventNames.some(known => known === name);

export function createReadWatch(endpoints: Pick<EndpointsService, 'owned' | 'named'>) {
  /** @throws invalid for a name that several endpoints have, not_found */
  const findEndpoint = async (principal: TeamAccess, idOrName: string): Promise<string> => {
    const found = await endpoints.owned(principal, idOrName).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    });
    if (found) return found.id;
    const [id, ...others] = await endpoints.named(principal.teamId, idOrName);
    if (id === undefined) throw eventsNotFound('endpoint');
    if (others.length > 0) throw invalid('arguments.endpoint: several endpoints have this name: use the id');
    return id;
  };

  /**
   * @param name of the event type @param given the arguments
   * @throws invalid, and EventsError `not_found` for an unknown type and for a missing or foreign endpoint
   */
  return async (principal: TeamAccess, name: unknown, given: unknown): Promise<Watch> => {
    if (typeof name !== 'string') throw invalid('name: required');
    if (!isEventName(name)) throw eventsNotFound('event', `there is no event type of this name`);
    if (name === 'alert.changed') {
      const { endpoint } = read(name, given);
      return { name, endpointId: endpoint === undefined ? undefined : await findEndpoint(principal, endpoint) };
    }
    const { endpoint, where = '', per = 'delivery', content = 'summary' } = read(name, given);
    const filter = readFilter(where);
    return { name, endpointId: await findEndpoint(principal, endpoint), filter, per, content };
  };
}

function read<N extends EventName>(name: N, given: unknown = {}): EventArguments<N> {
  const found = readFields(eventArguments[name], given ?? {});
  if ('value' in found) return found.value as EventArguments<N>;
  throw within(['arguments'], invalidFields(found.problems));
}

function readFilter(where: string): Filter {
  try {
    return parseWhere(where);
  } catch (error) {
    throw within(['arguments'], error);
  }
}
