/* Shows an invalid filter with a mark at the place of the problem. */
import { UsageError } from '../io.ts';

/** @param position in characters (code points), from 0 */
export function filterUsageError(option: string, filter: string, message: string, position: number): UsageError {
  const before = Bun.stringWidth([...filter].slice(0, position).join(''));
  return new UsageError(`${option}: ${message}\n  ${filter}\n  ${' '.repeat(before)}^`);
}
