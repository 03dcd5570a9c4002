/* The memory of a session while maps are slow or blocked. No server. */
import { describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { answer, capturedEvent } from '../../testing/listen-session.ts';
import { eventually } from '../../testing/poll.ts';
import { createDeliveries } from './deliveries.ts';
import type { CapturedEvent, SessionEvent, TargetResponse } from './model.ts';
import type { Target } from './target.ts';

type Asked = { id: string; bytes: number; answer: (given: TargetResponse) => void };

function createTarget(name: string): Target & { asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    name,
    url: name,
    asked,
    deliver: event =>
      new Promise(resolve => {
        const withoutRequest = { attempt: undefined, retryAfterMs: 0, notice: undefined };
        const reply = (given: TargetResponse): void => resolve({ answer: given, ...withoutRequest });
        asked.push({ id: event.id, bytes: event.body.length, answer: reply });
      }),
  };
}

function open(targets: readonly Target[], onFail: 'hold' | 'skip' | 'stop' = 'hold') {
  const [stopping, aborting] = [new AbortController(), new AbortController()];
  const said: SessionEvent[] = [];
  const stored = new Map<string, CapturedEvent>();
  const reads: string[] = [];
  let position: string | undefined;
  let isPaused = false;
  const deliveries = createDeliveries({
    clock: holdClock(),
    targets,
    policy: { retries: 0, onFail, concurrency: 1 },
    pause: () => new Promise(() => {}),
    stopping: stopping.signal,
    aborting: aborting.signal,
    isPaused: () => isPaused,
    read: async id => {
      reads.push(id);
      return stored.get(id);
    },
    say: event => said.push(event),
    report: () => {},
    onPosition: cursor => {
      position = cursor;
    },
    hintFor: async () => null,
    onStop: () => stopping.abort(),
  });
  const running = deliveries.run();
  let number = 0;
  const add = (wantedBy: readonly number[], bytes = 10): string => {
    const id = `evt_${++number}`;
    const event = capturedEvent({ id, body: new Uint8Array(bytes) });
    stored.set(id, event);
    deliveries.add(event, `after ${id}`, wantedBy);
    deliveries.endPage(`after ${id}`);
    return id;
  };
  return {
    deliveries,
    said,
    stored,
    reads,
    add,
    position: () => position,
    pauseWith: (paused: boolean): void => {
      isPaused = paused;
      deliveries.wake();
    },
    kinds: () => said.map(({ kind }) => kind),
    close: async () => {
      stopping.abort();
      deliveries.wake();
      await running;
    },
  };
}
const next = (target: { asked: Asked[] }): Promise<Asked> => eventually(() => target.asked.shift());
const mebibyte = 1 << 20;

describe('memory', () => {
  test('reading stops when enough is waiting, and goes on when something was delivered', async () => {
    const target = createTarget('a');
    const { deliveries, add, close } = open([target]);
    for (let n = 0; n < 199; n++) add([0]);
    expect(deliveries.wantsMore()).toBe(true);
    add([0]);
    expect(deliveries.wantsMore()).toBe(false);
    const wanted = deliveries.untilWanted();
    (await next(target)).answer(answer(200));
    await wanted;
    await close();
  });

  test('large events fill it by their bytes', async () => {
    const target = createTarget('a');
    const { deliveries, add, close } = open([target]);
    for (let n = 0; n < 2; n++) add([0], 12 * mebibyte);
    expect(deliveries.wantsMore()).toBe(true);
    add([0], 12 * mebibyte);
    expect(deliveries.wantsMore()).toBe(false);
    await close();
  });

  test('while one map is blocked, others continue; its waiting events are read again by id', async () => {
    const [blocked, going] = [createTarget('blocked'), createTarget('going')];
    const { deliveries, add, reads, close, position } = open([blocked, going]);
    const held = add([0], 20 * mebibyte);
    (await next(blocked)).answer(answer(500, { error: 'returned 500' }));
    const kept = add([0, 1], 10 * mebibyte);
    (await next(going)).answer(answer(200));
    const dropped = add([0, 1], 10 * mebibyte);
    expect((await next(going)).bytes).toBe(10 * mebibyte);
    expect([reads, deliveries.wantsMore(), position()]).toEqual([[dropped], true, undefined]);
    deliveries.settle(held, blocked, answer(200));
    deliveries.wake();
    for (const id of [kept, dropped]) {
      const asked = await next(blocked);
      expect(asked.id).toBe(id);
      asked.answer(answer(200));
    }
    await close();
    expect(reads).toEqual([dropped, dropped]);
  });

  test('an event that has been deleted is skipped', async () => {
    const target = createTarget('a');
    const { add, stored, said, position, close } = open([target]);
    add([0], 32 * mebibyte);
    const gone = add([0], mebibyte);
    stored.delete(gone);
    (await next(target)).answer(answer(200));
    await eventually(() => said.some(({ kind }) => kind === 'skipped'));
    expect(said.find(({ kind }) => kind === 'skipped')).toMatchObject({ reason: 'the event was deleted' });
    expect(position()).toBe(`after ${gone}`);
    await close();
  });
});

describe('by hand', () => {
  test('a pause starts nothing; running deliveries finish', async () => {
    const target = createTarget('a');
    const { add, pauseWith, kinds, close } = open([target]);
    add([0]);
    const first = await next(target);
    pauseWith(true);
    add([0]);
    first.answer(answer(200));
    await eventually(() => kinds().includes('settled'));
    expect(target.asked).toEqual([]);
    pauseWith(false);
    (await next(target)).answer(answer(200));
    await close();
  });

  test('skip gives up a held or waiting event, and the next one continues', async () => {
    const target = createTarget('a');
    const { deliveries, add, kinds, position, close } = open([target]);
    const [held, waiting, last] = [add([0]), add([0]), add([0])];
    (await next(target)).answer(answer(500));
    await eventually(() => kinds().includes('failed'));
    expect([deliveries.skip(waiting), deliveries.skip(held), deliveries.skip('evt_other')]).toEqual([
      true,
      true,
      false,
    ]);
    expect((await next(target)).id).toBe(last);
    expect(position()).toBe(`after ${waiting}`);
    await close();
  });

  test('a skip while it is under way makes its answer meaningless', async () => {
    const target = createTarget('a');
    const { deliveries, add, kinds, close } = open([target]);
    const id = add([0]);
    const asked = await next(target);
    deliveries.skip(id);
    asked.answer(answer(500));
    await deliveries.untilIdle();
    await close();
    expect(kinds()).toEqual(['received', 'skipped', 'settled']);
  });
});

test('a delivery that fails while the session ends is not given up', async () => {
  const target = createTarget('a');
  const { deliveries, add, kinds, position, close } = open([target], 'skip');
  add([0]);
  const asked = await next(target);
  await close();
  asked.answer(answer(null));
  await deliveries.untilIdle();
  expect([kinds(), position(), deliveries.unsettled()]).toEqual([['received'], undefined, 1]);
});

test('a target that breaks is a failure, not the end', async () => {
  const broken: Target = { name: 'broken', url: null, deliver: () => Promise.reject(new Error('no such thing')) };
  const { add, said, position, close } = open([broken], 'skip');
  const id = add([0]);
  await eventually(() => said.some(({ kind }) => kind === 'settled'));
  expect(said.find(({ kind }) => kind === 'failed')).toMatchObject({ answer: { error: 'no such thing' } });
  expect(position()).toBe(`after ${id}`);
  await close();
});
