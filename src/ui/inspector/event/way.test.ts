import { describe, expect, test } from 'bun:test';
import type { Delivery } from '../../../features/deliveries/model.ts';
import type { EventDetail, EventForward, Signature } from '../../../features/events/model.ts';
import { wayOf } from './way.ts';

const usual = { status: 200, rule: null, delayMs: 0, fault: null, limited: false };
const signature: Signature = {
  platform: 'stripe',
  scheme: 'x',
  verdict: 'valid',
  reason: null,
  proves: 'payload',
  checked: 'read',
};
const event = {
  platform: 'stripe',
  signature: null,
  answered: usual,
  refused: null,
  forwards: [],
  replays: [],
} as unknown as EventDetail;

type Change = { [K in keyof EventDetail]?: unknown };
const stepsOf = (change: Change = {}, attempts = 1, delivery?: Delivery) =>
  new Map(wayOf({ event: { ...event, ...change } as EventDetail, attempts, delivery }).map(step => [step.name, step]));
const shown = (
  name: 'Attempts' | 'Checks' | 'Answer' | 'Forwards' | 'Replays',
  ...options: Parameters<typeof stepsOf>
) => {
  const step = stepsOf(...options).get(name);
  return [step?.state, [step?.text, step?.more].filter(Boolean).join(' · ')];
};

describe('the way of a delivery', () => {
  test('of which nothing is to be said', () => {
    expect([...stepsOf().values()].map(({ name, state, text }) => [name, state, text])).toEqual([
      ['Attempts', 'none', '1'],
      ['Checks', 'none', 'No signature'],
      ['Answer', 'good', '200'],
      ['Forwards', 'none', 'None'],
      ['Replays', 'none', 'None'],
    ]);
  });

  test('says that the signature of a redacted event was checked when it came', () => {
    expect(shown('Checks', { signature: { ...signature, checked: 'arrival' } })).toEqual([
      'good',
      'Signature valid · checked when it came',
    ]);
  });

  test('names the attempts and their answers', () => {
    const attempt = (receivedAt: number, status: number, rule: string | null) => ({
      receivedAt,
      answered: { ...usual, status, rule },
    });
    const delivery = {
      attempts: [attempt(0, 500, 'flaky'), attempt(9000, 500, 'flaky'), attempt(250_000, 200, null)],
    } as unknown as Delivery;
    expect(shown('Attempts', {}, 3)).toEqual(['warn', '3']);
    expect(shown('Attempts', {}, 3, delivery)).toEqual(['warn', '3 in 4 min 10 s']);
    expect(shown('Answer', {}, 3, delivery)).toEqual(['warn', '500, 500, 200 · rule flaky']);
    expect(shown('Answer', { answered: { ...usual, delayMs: 10_000, rule: 'a\u202eb' } })).toEqual([
      'good',
      '200 in 10 s · rule a‹U+202E›b',
    ]);
    expect(shown('Answer', { answered: { ...usual, status: null, fault: 'close' } })).toEqual(['warn', 'closed']);
  });

  test('names the worst check', () => {
    const invalid = { ...signature, verdict: 'invalid', reason: 'wrong_secret_or_altered_body' };
    const refused = { refused: 405, answered: { ...usual, status: 405 } };
    expect(shown('Checks', { signature })).toEqual(['good', 'Signature valid']);
    expect(shown('Checks', { signature: { ...signature, verdict: 'unchecked', reason: 'no_secret' } })).toEqual([
      'none',
      'No secret to check with',
    ]);
    expect(shown('Checks', { signature: invalid })).toEqual(['bad', 'Signature matches no saved secret']);
    expect(shown('Checks', { signature, ...refused })).toEqual(['warn', 'Refused: method']);
    expect(shown('Checks', { signature: invalid, ...refused })).toEqual([
      'bad',
      'Signature matches no saved secret · refused: method',
    ]);
    expect(shown('Answer', refused)).toEqual(['warn', '405']);
    expect([...stepsOf(refused).values()].filter(({ sentence }) => sentence?.includes('Refused'))).toHaveLength(1);
  });

  test.each<[states: EventForward['state'][], state: string, text: string]>([
    [['delivered', 'delivered'], 'good', '2 of 2 delivered'],
    [['delivered', 'failed', 'waiting'], 'bad', '1 of 3 delivered'],
    [['given_up', 'delivered'], 'bad', '1 of 2 delivered'],
    [['delivered', 'waiting'], 'none', '1 of 2 delivered'],
    [['skipped'], 'none', '0 of 1 delivered'],
  ])('the forwards %j are %s', (states, state, text) => {
    const forwards = states.map((one, at) => ({
      id: `f${at}`,
      name: `n${at}`,
      state: one,
      attempts: at,
      lastStatus: 503,
    }));
    expect(shown('Forwards', { forwards })).toEqual([state, text]);
    expect(stepsOf({ forwards }).get('Forwards')?.sentence).toContain('n0: ');
  });

  test('names the newest replay, not what forwards sent', () => {
    const replay = (change: object) => ({
      via: 'dashboard',
      ok: true,
      status: 200,
      destination: 'http://localhost:4699/x',
      ...change,
    });
    expect(shown('Replays', { replays: [replay({ via: 'forward' })] })).toEqual(['none', 'None']);
    expect(shown('Replays', { replays: [replay({}), replay({ ok: false })] })).toEqual([
      'good',
      '2 · 200 · localhost:4699',
    ]);
    expect(shown('Replays', { replays: [replay({ ok: false, status: null, destination: 'laptop' })] })).toEqual([
      'warn',
      '1 · no response · laptop',
    ]);
  });
});
