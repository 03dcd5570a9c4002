/* One event to test filters on, and the check of their results. */
import { expect } from 'bun:test';
import { evaluate } from '../../core/filter/evaluate.ts';
import { createEventContent } from '../../core/filter/event-content.ts';
import type { EventFacts } from '../../core/filter/event-facts.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { parseFilter } from '../../shared/filter/parser.ts';

/** Epoch ms. */
export const now = Date.UTC(2026, 10, 22, 12);
const asJson: HeaderPair[] = [['Content-Type', 'application/json']];

/** An event with this content, and values in all columns. */
export function factsWith(
  content: { headers?: HeaderPair[]; query?: string | Uint8Array | null; body?: string | Uint8Array } = {},
  columns: Partial<EventFacts> = {},
): EventFacts {
  const { headers = asJson, query = null, body = '' } = content;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return {
    type: 'invoice.paid',
    platform: 'stripe',
    method: 'POST',
    path: '/orders/5',
    receivedAt: now - 3_600_000,
    size: 2048,
    sourceIp: '10.1.2.3',
    verdict: 'valid',
    attempt: 2,
    answered: 200,
    tags: ['golden', 'Q4'],
    isPinned: true,
    isReplayed: false,
    isEdited: false,
    isRefused: false,
    isRedacted: false,
    content: createEventContent({ headers, query, body: bytes }),
    ...columns,
  };
}

export const matches = (where: string, facts: EventFacts): boolean | undefined =>
  evaluate(parseFilter(where), facts, now);
/** The filters that match. */
const matching = (filters: readonly string[], facts: EventFacts): string[] =>
  filters.filter(where => matches(where, facts) === true);

/** Expects that all of `yes` match and none of `no` does, and the opposite with NOT. */
export function expectMatches(facts: EventFacts, { yes, no }: { yes: string[]; no: string[] }): void {
  expect(matching([...yes, ...no], facts)).toEqual(yes);
  // NOT inverts all of them, because a missing field is false and not unknown.
  const negated = (where: string): string => `-(${where})`;
  expect(matching([...yes, ...no].map(negated), facts)).toEqual(no.map(negated));
}
