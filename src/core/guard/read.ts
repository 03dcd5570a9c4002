/* Reads a guard of unknown form. Nothing is ignored: a misspelt condition would leave the endpoint open. */
import type { FieldProblem } from '../field-problems.ts';
import { readFields } from '../read-fields.ts';
import type { Guard } from './model.ts';
import { GivenGuard } from './schema.ts';
import { checkGuard } from './settings.ts';

/**
 * @param stored the guard that the endpoint has, whose secrets `[set]` keeps
 * @returns the guard, or at least one problem with its fields
 */
export function readGuard(given: unknown, stored: Guard | null): { guard: Guard } | { problems: FieldProblem[] } {
  const read = readFields(GivenGuard, given);
  return 'problems' in read ? read : checkGuard(read.value, stored);
}
