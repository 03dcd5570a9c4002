/* Reads a guard of unknown form. It needs the schema library, and settings.ts does not, which the server loads when it starts. */
import { readFields } from '../read-fields.ts';
import type { Guard } from './model.ts';
import { GivenGuard } from './schema.ts';
import { type CheckedGuard, checkGuard } from './settings.ts';

/** As `checkGuard`. Nothing is ignored: a misspelt condition would leave the endpoint open. */
export function readGuard(given: unknown, stored: Guard | null): CheckedGuard {
  const read = readFields(GivenGuard, given);
  return 'problems' in read ? read : checkGuard(read.value, stored);
}
