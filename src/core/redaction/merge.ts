/* Puts together what was taken out of an event that was redacted twice. */
import { maxRedactedFields } from '../limits.ts';
import type { Redacted } from './model.ts';

/**
 * What was taken out of an event in two steps. The SHA-256 of the body as it came is the one of the first step; it is left out if one of
 * the steps leaves it out.
 */
export function mergeRedacted(first: Redacted | null, second: Redacted): Redacted {
  if (!first) return second;
  return {
    rules: first.rules + second.rules,
    fields: [...new Set([...first.fields, ...second.fields])].slice(0, maxRedactedFields),
    sha256: second.sha256 === null ? null : first.sha256,
  };
}
