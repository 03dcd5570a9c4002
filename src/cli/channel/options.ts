/* The options of `hooktape channel`. All problems with them are found here, before any request. */

import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Filter } from '../../shared/filter/filter.ts';
import type { Arguments } from '../io.ts';
import { defaultNames, readConsumerName, readFilterOption } from '../listen/options.ts';

export type ChannelOptions = {
  /** The endpoints as typed. */
  endpoints: readonly string[];
  where: string | undefined;
  filter: Filter;
  per: 'delivery' | 'event';
  /** The name of the consumer. */
  name: string;
};

/** @throws UsageError */
export function readChannelOptions(given: Arguments): ChannelOptions {
  const where = given.option('where');
  const own = given.option('as');
  return {
    endpoints: given.positionals,
    where,
    filter: readFilterOption('--where', where ?? ''),
    per: given.option('per') === 'event' ? 'event' : 'delivery',
    name: own === undefined ? defaultNames(hostname(), resolve('.'), 'channel').name : readConsumerName(own),
  };
}
