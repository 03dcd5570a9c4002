import { describe, expect, test } from 'bun:test';
import { deliveryNumber } from '../ids/delivery-key.ts';
import { atStart, decide, type SequenceState, stateAfter } from './evaluate.ts';
import type { AnswerRule } from './model.ts';
import { readRules } from './rules.ts';

/** Answers events one after the other, and keeps the sequences. */
function createAnswering(...rules: AnswerRule[]) {
  const { active } = readRules({ rules });
  const states = new Map<string, SequenceState>();
  return async ({ at = 0, delivery = 0, isHandshake = false, chance = 0, matches = true } = {}) => {
    const decision = await decide(
      { version: 1, rules: active },
      {
        delivery,
        at,
        isHandshake,
        matches: () => matches,
        chanceOf: () => chance,
        stateOf: (slot, of) => states.get(`${slot} ${of}`) ?? atStart,
      },
    );
    for (const count of decision.counts) {
      const key = `${count.slot} ${count.delivery}`;
      states.set(key, stateAfter(states.get(key) ?? atStart, count));
    }
    return { status: decision.rule?.answer.status ?? 200, retryAfterS: decision.retryAfterS };
  };
}

const statuses = async (answer: ReturnType<typeof createAnswering>, ...events: Parameters<typeof answer>[0][]) => {
  const found: number[] = [];
  for (const event of events) found.push((await answer(event)).status);
  return found;
};
const times = (count: number, event = {}) => Array.from({ length: count }, () => event);

describe('rules', () => {
  test('an event counts for a rule that it reaches', async () => {
    const answer = createAnswering({ first: 1, answer: { status: 500 } }, { first: 2, answer: { status: 503 } });
    expect(await statuses(answer, ...times(5))).toEqual([500, 503, 503, 200, 200]);
  });

  test('an event that the filter excludes does not count', async () => {
    const answer = createAnswering({ when: 'type:x', first: 1, answer: { status: 500 } });
    expect(await statuses(answer, { matches: false }, {}, {})).toEqual([200, 500, 200]);
  });

  test('first and every hold together', async () => {
    const answer = createAnswering({ first: 4, every: 2, answer: { status: 500 } });
    expect(await statuses(answer, ...times(6))).toEqual([200, 500, 200, 500, 200, 200]);
  });

  test('each delivery has a sequence of its own', async () => {
    const answer = createAnswering({ per: 'delivery', first: 1, answer: { status: 500 } });
    expect(await statuses(answer, { delivery: 1 }, { delivery: 2 }, { delivery: 1 }, { delivery: 2 })).toEqual([
      500, 500, 200, 200,
    ]);
  });

  test('deliveries recognised only by content restart after 72 hours; others do not', async () => {
    const event = {
      endpoint: 1,
      platform: null,
      method: 'POST',
      path: '',
      query: null,
      eventType: null,
      body: Buffer.from('x'),
    };
    const hours = 3_600_000;
    for (const [id, expected] of [
      [undefined, 500],
      [{ id: 'a', basis: 'header' as const }, 200],
    ] as const) {
      const delivery = deliveryNumber(event, id);
      const answer = createAnswering({ per: 'delivery', first: 1, answer: { status: 500 } });
      expect(await statuses(answer, { delivery }, { delivery, at: 72 * hours }, { delivery, at: 145 * hours })).toEqual(
        [500, 200, expected],
      );
    }
  });

  test('a rate lets events below it through, and Retry-After is accurate', async () => {
    const answer = createAnswering({ rate: { max: 2, perS: 10 }, answer: {} });
    expect(await statuses(answer, { at: 0 }, { at: 4000 })).toEqual([200, 200]);
    expect(await answer({ at: 5000 })).toEqual({ status: 429, retryAfterS: 5 });
    expect(await answer({ at: 9999 })).toEqual({ status: 429, retryAfterS: 1 });
    expect(await answer({ at: 10_000 })).toEqual({ status: 200, retryAfterS: undefined });
    expect(await answer({ at: 10_000 })).toEqual({ status: 429, retryAfterS: 4 });
    expect(await answer({ at: 14_000 })).toEqual({ status: 200, retryAfterS: undefined });
  });

  test('a clock that is set back does not stop a rate for longer than its time', async () => {
    const answer = createAnswering({ rate: { max: 1, perS: 10 }, answer: {} });
    expect(await statuses(answer, { at: 1_000_000 }, { at: 0 }, { at: 1000 })).toEqual([200, 200, 429]);
    expect((await answer({ at: 9000 })).retryAfterS).toBe(1);
  });

  test('chance is the last condition', async () => {
    const answer = createAnswering({ first: 2, chance: 0.5, answer: { status: 500 } });
    expect(await statuses(answer, { chance: 0.9 }, { chance: 0.1 }, { chance: 0.1 })).toEqual([200, 500, 200]);
  });

  test('a handshake is for rules that say so, and counts for no other', async () => {
    const answer = createAnswering(
      { first: 1, answer: { status: 500 } },
      { handshake: true, when: 'method:GET', answer: { status: 403 } },
    );
    expect(await statuses(answer, { isHandshake: true }, { isHandshake: true, matches: false }, {})).toEqual([
      403, 200, 500,
    ]);
  });
});
