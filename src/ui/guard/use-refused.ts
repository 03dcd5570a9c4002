/* How many of the newest deliveries a guard would have refused for their network or their method. */

import { useEffect, useState } from 'preact/hooks';
import type { EventSummary } from '../../features/events/model.ts';
import { termFor } from '../inspector/filter/filter-text.ts';
import { api } from '../kit/api.ts';
import { platformTitle } from '../kit/format/platforms.ts';
import { visibleLine } from '../kit/format/visible.ts';

const typingMs = 400;
const triedEvents = 100;
/** The most terms of a filter. */
const maxTerms = 40;

/** The filter for deliveries that have none of these values; undefined without values to ask for. */
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
  const among = named.length === 0 ? '' : `, among them ${named.join(', ')}`;
  return `${refused.length === tried ? (tried === 1 ? 'The last delivery' : `All of the last ${tried} deliveries`) : `${refused.length} of the last ${tried} deliveries`} ${what}${among}. Senders like these would be refused.`;
}

/** @returns a sentence for the warning; empty without one */
export function useRefused(endpointId: string, where: string | undefined, what: string): string {
  const [warning, setWarning] = useState('');
  useEffect(() => {
    setWarning('');
    if (where === undefined) return;
    const abort = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const { matched, unmatched } = await api.testFilter(endpointId, where, triedEvents, abort.signal);
        if (!abort.signal.aborted) setWarning(describeRefused(matched, matched.length + unmatched.length, what));
      } catch {
        // Only a hint: without it, the guard can be saved all the same.
      }
    };
    const timer = setTimeout(ask, typingMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [endpointId, where, what]);
  return warning;
}
