import { expect, test } from 'bun:test';
import { type Compared, verdictLine } from './verdict-line.ts';

const event: Compared = {
  eventType: 'charge.refunded',
  platform: 'stripe',
  signature: { platform: 'stripe', scheme: 'v1', verdict: 'valid', reason: null, proves: 'payload', checked: 'read' },
  size: 1024,
  receivedAt: Date.UTC(2026, 10, 28),
  answered: { status: 200, rule: null, delayMs: 0, fault: null, limited: false },
  refused: null,
};
const texts = (other: Partial<Compared>): string[] =>
  verdictLine(event, { ...event, ...other }).map(({ text }) => text);

test('what is equal is said once, and what differs from left to right', () => {
  expect(texts({})).toEqual([
    'Signature valid in both',
    '1.0 KB each',
    'Received at the same time',
    'Answered 200 both times',
  ]);
  expect(
    texts({
      eventType: 'charge.failed',
      signature: null,
      size: 1124,
      receivedAt: event.receivedAt + 72_000,
      refused: 405,
    }),
  ).toEqual([
    'Stripe charge.refunded → Stripe charge.failed',
    'Signature valid → none',
    '1.0 KB → 1.1 KB (+100 B)',
    'Received 1 min 12 s later',
    'Answered 200 → refused 405',
  ]);
});

test('only what became worse needs a look', () => {
  const invalid = event.signature && { ...event.signature, verdict: 'invalid' as const };
  const worse = { signature: invalid, answered: { ...event.answered, status: 500 }, size: 1 };
  const worsened = (one: Compared, other: Compared): string[] =>
    verdictLine(one, other).flatMap(fact => (fact.tone ? [`${fact.tone}: ${fact.text}`] : []));
  expect(worsened(event, { ...event, ...worse })).toEqual([
    'bad: Signature valid → invalid',
    'warn: Answered 200 → 500',
  ]);
  expect(worsened({ ...event, ...worse }, event)).toEqual([]);
});
