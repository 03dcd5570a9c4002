import { describe, expect, test } from 'bun:test';
import { answer, capturedEvent, targetUrl } from '../../../testing/listen-session.ts';
import type { ListenEvent, TargetResponse } from '../model.ts';
import { createEventLog } from './log.ts';

const at = 0;
const event = (id: number, text = '{}') => capturedEvent({ id: `evt_${id}`, text });
const received = (id: number, text?: string): ListenEvent => ({
  kind: 'received',
  at,
  event: event(id, text),
  targets: [targetUrl],
});
const answered = (id: number, said: TargetResponse = answer(200)): ListenEvent => ({
  kind: 'answered',
  at,
  event: event(id),
  target: targetUrl,
  attempt: 1,
  answer: said,
  cause: 'feed',
});
const failed = (id: number, given: Partial<Extract<ListenEvent, { kind: 'failed' }>> = {}): ListenEvent => ({
  kind: 'failed',
  at,
  event: event(id),
  target: targetUrl,
  attempt: 1,
  answer: answer(500),
  cause: 'feed',
  next: 'hold',
  nextAt: null,
  hint: null,
  ...given,
});
const settled = (id: number): ListenEvent => ({
  kind: 'settled',
  at,
  event: event(id),
  target: targetUrl,
  attempt: 1,
  answer: null,
});

describe('the memory of the view', () => {
  test('holds the newest events; one that waits outlives settled ones', () => {
    const log = createEventLog({ maxRows: 100, maxBytes: 1 << 20 });
    for (let id = 0; id < 10_000; id++) {
      log.apply(received(id));
      if (id !== 5) log.apply(settled(id));
    }
    expect(log.count()).toBeLessThanOrEqual(100);
    expect(log.rows().length).toBe(log.count());
    expect(log.rows()[0]?.event.id).toBe('evt_5');
    expect(log.rows().at(-1)?.event.id).toBe('evt_9999');
    expect(log.totals.received).toBe(10_000);
  });

  test('forgets bodies and answers, oldest first, when they are large together', () => {
    const log = createEventLog({ maxRows: 100, maxBytes: 11_000 });
    for (let id = 0; id < 10; id++) log.apply(received(id, 'x'.repeat(1500)));
    for (let id = 0; id < 3; id++) log.apply(answered(9, answer(200, { text: 'y'.repeat(500) })));
    const sizes = log.rows().map(row => row.event.body.length);
    expect(sizes).toEqual([0, 0, 0, 0, 1500, 1500, 1500, 1500, 1500, 1500].map((size, i) => (i === 4 ? 0 : size)));
    expect(log.rows().map(row => row.isEmptied)).toEqual(sizes.map(size => size === 0));
    // The row in the list is still there.
    expect(log.rows()[0]?.event).toMatchObject({ type: 'invoice.paid', size: 1500 });
  });

  test('an event that is sent again and again keeps its newest answers', () => {
    const log = createEventLog();
    log.apply(received(1));
    for (let i = 1; i <= 500; i++) log.apply(answered(1, answer(200, { ms: i })));
    const row = log.find('evt_1');
    expect(row?.attempts.map(({ number }) => number)).toEqual([491, 492, 493, 494, 495, 496, 497, 498, 499, 500]);
    expect(row?.attemptCount).toBe(500);
  });

  test('an event larger than all memory is kept while it is the newest', () => {
    const log = createEventLog({ maxRows: 10, maxBytes: 100 });
    log.apply(received(1, 'x'.repeat(1000)));
    expect(log.rows()[0]?.event.body.length).toBe(1000);
    log.apply(received(2));
    expect(log.rows()[0]?.isEmptied).toBe(true);
  });
});

describe('the outcome of an event', () => {
  const stateOf = (...events: ListenEvent[]) => {
    const log = createEventLog();
    for (const one of events) log.apply(one);
    return { log, state: log.find('evt_1')?.targets.get(targetUrl)?.kind };
  };

  test('follows the session', () => {
    expect(stateOf(received(1)).state).toBe('waiting');
    expect(stateOf(received(1), answered(1)).state).toBe('done');
    expect(stateOf(received(1), failed(1, { next: 'retry', nextAt: 5 })).state).toBe('retrying');
    expect(stateOf(received(1), failed(1)).state).toBe('held');
    expect(stateOf(received(1), failed(1), answered(1)).state).toBe('done');
    expect(stateOf(received(1), failed(1, { next: 'stop' })).state).toBe('stopped');
    expect(
      stateOf(received(1), { kind: 'skipped', at, event: event(1), target: targetUrl, attempt: 1, reason: 'by hand' })
        .state,
    ).toBe('skipped');
  });

  test('a failure of a delivery sent by hand leaves a held event held', () =>
    expect(stateOf(received(1), failed(1), failed(1, { next: 'none', cause: 'edited' })).state).toBe('held'));

  test('the event that holds up others is the held one, else the first that is tried again', () => {
    const { log } = stateOf(received(1), failed(1, { next: 'retry' }), received(2), failed(2));
    expect(log.stuck()?.event.id).toBe('evt_2');
    log.apply(answered(2));
    log.apply(settled(2));
    expect([log.stuck()?.event.id, log.hasRetries()]).toEqual(['evt_1', true]);
    log.apply(answered(1));
    expect([log.stuck(), log.hasRetries()]).toEqual([undefined, false]);
  });

  test('a filter hides events that come later, too', () => {
    const log = createEventLog();
    log.apply(received(1));
    log.setFilter({ isOk: true, matches: one => one.id === 'evt_2' });
    log.apply(received(2));
    log.apply(received(3));
    expect(log.rows().map(row => row.event.id)).toEqual(['evt_2']);
    log.setFilter(undefined);
    expect(log.rows()).toHaveLength(3);
  });
});
