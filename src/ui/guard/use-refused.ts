/* How many of the newest deliveries a guard would have refused for their network or their method. */

import { useEffect, useState } from 'preact/hooks';
import type { EventSummary } from '../../features/events/model.ts';
import { termFor } from '../inspector/filter/filter-text.ts';
import { api } from '../kit/api.ts';
import { platformTitle } from '../kit/format/platforms.ts';
import { visibleLine } from '../kit/format/visible.ts';
import { useQuery } from '../kit/use-query.ts';

const typingMs = 400;
const triedEvents = 100;
const maxTerms = 40;

/** The filter for deliveries without any of these values; undefined without values to ask for. */
export function otherThan(field: 'ip' | 'method', values: readonly string[]): string | undefined {
  const terms = values.map(value => termFor(field, value));
  if (terms.length === 0 || terms.length > maxTerms || terms.includes(undefined)) return undefined;
  return terms.map(term => `-${term}`).join(' ');
}

/** `3 of the last 40 deliveries came from other networks, among them Stripe.` */
export function describeRefused(refused: readonly EventSummary[], tried: number, what: string): string {
  if (refused.length === 0) return '';
  const platforms = [...new Set(refused.flatMap(({ platform }) => platform ?? []))];
  const named = platforms.slice(0, 3).map(name => visibleLine(platformTitle(name)));
  const among = named.length === 0 ? '' : `, including ${named.join(', ')}`;
  return `${refused.length === tried ? (tried === 1 ? 'The last delivery' : `All of the last ${tried} deliveries`) : `${refused.length} of the last ${tried} deliveries`} ${what}${among}. They would be refused.`;
}

/**
 * Asks again after a failure that may pass, as every query does.
 * @returns a sentence for the warning, or why it is not known; empty when nothing would be refused
 */
export function useRefused(endpointId: string, where: string | undefined, what: string): string {
  const [settled, setSettled] = useState(where);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(where), typingMs);
    return () => clearTimeout(timer);
  }, [where]);
  const { value, problem } = useQuery(`${endpointId} ${settled}`, async () =>
    settled === undefined ? undefined : api.testFilter(endpointId, settled, triedEvents),
  );
  if (settled !== where) return '';
  if (problem) return `The latest deliveries could not be checked: senders like theirs may be refused. ${problem}`;
  return value ? describeRefused(value.matched, value.matched.length + value.unmatched.length, what) : '';
}
