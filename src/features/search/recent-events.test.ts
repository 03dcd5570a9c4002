import { describe, expect, test } from 'bun:test';
import { signatureQuery, signatureWords } from '../../core/search-signature.ts';
import { signEvent } from './index-entry.ts';
import { createRecentEvents } from './recent-events.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const query = (term: string) => signatureQuery(bytes(term));

function recentWith(events: [seq: number, endpoint: number, body: string | Uint8Array, eventType?: string][]) {
  const recent = createRecentEvents();
  for (const [seq, endpoint, body, eventType = null] of events) {
    const signature = new Uint32Array(signatureWords);
    signEvent(signature, 0, eventType, typeof body === 'string' ? bytes(body) : body);
    recent.add([{ seq, endpoint, receivedAt: 1000 + seq }], signature);
  }
  return recent;
}

describe('recent events', () => {
  test('finds the endpoint’s events that can match, and reports unknown row numbers', () => {
    const recent = recentWith([
      [1020, 7, 'a needle'],
      [1023, 7, 'hay'],
      [1024, 8, 'a needle'],
      [1026, 7, 'NEEDLEWORK'],
    ]);
    expect(recent.find(7, query('needle'), { from: 1019, to: 1030 })).toEqual({
      found: [
        { seq: 1020, receivedAt: 2020 },
        { seq: 1026, receivedAt: 2026 },
      ],
      unknown: [
        { from: 1019, to: 1019 },
        { from: 1021, to: 1022 },
        { from: 1025, to: 1025 },
        { from: 1027, to: 1030 },
      ],
    });
  });

  test('stores the events of one commit across the end of a block', () => {
    const recent = createRecentEvents();
    const bodies = ['hay', 'a needle', 'needles', 'hay', 'one more needle'];
    const signatures = new Uint32Array(bodies.length * signatureWords);
    for (const [i, body] of bodies.entries()) signEvent(signatures, i * signatureWords, null, bytes(body));
    const events = bodies.map((_, i) => ({ seq: 1022 + i, endpoint: 7 + (i % 4), receivedAt: 5000 + i }));
    recent.add(events, signatures);
    const seqs = (endpoint: number) => recent.find(endpoint, query('needle'), { from: 1022, to: 1026 });
    expect([7, 8, 9, 10].map(endpoint => seqs(endpoint).found)).toEqual([
      [{ seq: 1026, receivedAt: 5004 }],
      [{ seq: 1023, receivedAt: 5001 }],
      [{ seq: 1024, receivedAt: 5002 }],
      [],
    ]);
    expect(seqs(7).unknown).toEqual([]);
  });

  test('finds event types, escaped and non-ASCII text, and every very large body', () => {
    const recent = recentWith([
      [1, 1, '', 'Order.Paid'],
      [2, 1, '{"a":"caf\\u00e9"}'],
      [3, 1, 'ÜBER ALLES'],
      [4, 1, 'x'.repeat((1 << 20) + 1)],
    ]);
    const seqs = (term: string) => recent.find(1, query(term), { from: 1, to: 4 }).found.map(({ seq }) => seq);
    expect(seqs('order.paid')).toEqual([1, 4]);
    expect(seqs('café')).toEqual([2, 4]);
    expect(seqs('über')).toEqual([3, 4]);
  });

  test('an unknown event may match anything, and a dropped one is unknown', () => {
    const recent = recentWith([
      [5, 1, 'hay'],
      [2000, 1, 'hay'],
    ]);
    expect([recent.mayMatch(5, query('needle')), recent.mayMatch(6, query('needle'))]).toEqual([false, true]);
    recent.dropUpTo(1999);
    expect([recent.mayMatch(5, query('needle')), recent.mayMatch(2000, query('needle'))]).toEqual([true, false]);
  });
});
