/*
 * A hint for a filter that finds no event because it asks for types that the events do not have, while their bodies say them. So it
 * is for events of a recognised sender whose type comes from elsewhere, and for events that an earlier version stored.
 */
import { parseWhere } from '../../core/where.ts';
import { type Filter, termsOf } from '../../shared/filter/filter.ts';

/**
 * @param matches whether the filter matches an event of the endpoint; undefined if it had no time to find out
 * @returns null without such a reason
 */
export async function typeHint(
  filter: Filter,
  matches: (filter: Filter) => Promise<boolean | undefined>,
): Promise<string | null> {
  const types = termsOf(filter.root).filter(term => term.on === 'column' && term.column === 'type');
  if (types.length === 0 || (await matches(filter)) !== false) return null;
  const characters = [...filter.text];
  for (const { start } of types.toReversed()) characters.splice(start, 0, 'body.');
  const inBody = characters.join('');
  if (!(await matches(parseWhere(inBody)))) return null;
  return `No event has such an event type, but some have it in their body. Try: ${inBody}`;
}
