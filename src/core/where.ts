/* The filters that clients send. An error names the place in the text, so that every operation with a filter reports it alike. */
import { type Filter, FilterError } from '../shared/filter/filter.ts';
import { parseFilter } from '../shared/filter/parser.ts';
import { AppError } from './errors.ts';

/** @throws invalid, with the details `position` and `nearest` */
export function parseWhere(where: string): Filter {
  try {
    return parseFilter(where);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const { message, position, nearest } = error;
    throw new AppError('invalid', `invalid where: ${message}`, {
      details: { position, nearest },
      problems: [{ path: ['where'], message }],
    });
  }
}
