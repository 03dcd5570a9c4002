/* The filter of a deletion or a saved filter, and the search for the events that it matches, which is repeated until it is complete. */
import { AppError } from '../../core/errors.ts';
import { parseWhere } from '../../core/where.ts';
import type { Filter } from '../../shared/filter/filter.ts';
import type { Search } from '../events/reading.ts';

/** The most events that one search finds. */
export const foundAtOnce = 2048;

export type FindMatching = Search['find'];

/** A filter that must select something: an empty one, which matches every event, is refused. @throws invalid */
export function readSelection(where: string): Filter {
  const filter = parseWhere(where);
  if (filter.root) return filter;
  const message = 'it must not be empty, because that matches every event';
  throw new AppError('invalid', `invalid where: ${message}`, {
    problems: [{ path: ['where'], message }],
    details: { position: 0, nearest: null },
  });
}
