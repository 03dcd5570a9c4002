/* Filters that must select something: an empty one, which matches every event, is refused. */
import { AppError } from '../../core/errors.ts';
import { parseWhere } from '../../core/where.ts';
import type { Filter } from '../../shared/filter/filter.ts';

/** @throws invalid */
export function readSelection(where: string): Filter {
  const filter = parseWhere(where);
  if (filter.root) return filter;
  const message = 'it must not be empty, because that matches every event';
  throw new AppError('invalid', `invalid where: ${message}`, {
    problems: [{ path: ['where'], message }],
    details: { position: 0, nearest: null },
  });
}
