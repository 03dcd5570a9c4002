import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { EventSummary } from '../../../features/events/model.ts';
import { type ConnectionState, openLiveStream } from './stream.ts';

const frame = (n: number): string => `event: event\nid: evt_${n}\ndata: ${JSON.stringify({ id: `evt_${n}` })}\n\n`;

/** A stand-in for `document`. */
const page = Object.assign(new EventTarget(), { hidden: false });

const until = async (done: () => boolean): Promise<void> => {
  const deadline = performance.now() + 10_000;
  while (!done()) {
    if (performance.now() > deadline) throw new Error('timed out');
    await Bun.sleep(5);
  }
};

describe('live stream', () => {
  const lastEventIds: (string | null)[] = [];
  let answers: (() => Response)[] = [];
  let server: Bun.Server<undefined>;
  let received: string[] = [];
  let changed: string[] = [];
  let deleted: string[] = [];
  let states: ConnectionState[] = [];
  let refused: number[] = [];
  let opened: number[] = [];

  const dropped =
    (...frames: string[]) =>
    () =>
      new Response(frames.join(''));
  const held =
    (...frames: string[]) =>
    () =>
      new Response(
        new ReadableStream({
          start: controller => {
            for (const text of frames) controller.enqueue(new TextEncoder().encode(text));
          },
        }),
      );
  const open = (maxSilenceMs?: number) =>
    openLiveStream({
      ...(maxSilenceMs !== undefined && { maxSilenceMs }),
      url: `http://127.0.0.1:${server.port}/stream`,
      knownUntil: Date.now() - 10_000,
      lastEventId: () => received.at(-1),
      onEvent: (event: EventSummary) => void received.push(event.id),
      onChanged: (event: EventSummary) => void changed.push(event.id),
      onDeleted: (id: string) => void deleted.push(id),
      onOpen: missedSince => void opened.push(missedSince),
      onState: ({ state }) => void states.push(state),
      onRefused: status => void refused.push(status),
    });

  beforeEach(() => {
    Object.assign(globalThis, { document: page });
    [lastEventIds.length, received, states, refused, opened] = [0, [], [], [], []];
    [changed, deleted] = [[], []];
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        lastEventIds.push(request.headers.get('last-event-id'));
        return (answers.shift() ?? held())();
      },
    });
  });
  afterEach(async () => {
    Reflect.deleteProperty(globalThis, 'document');
    await server.stop(true);
  });

  test('a dropped connection is reopened and resumes after the newest event', async () => {
    answers = [dropped(frame(1), frame(2)), () => new Response('busy', { status: 503 }), held(frame(3))];
    const close = open();
    await until(() => received.length === 3);
    close();
    expect(received).toEqual(['evt_1', 'evt_2', 'evt_3']);
    expect(lastEventIds).toEqual([null, 'evt_2', 'evt_2']);
    expect(states.filter((state, at) => state !== states[at - 1])).toEqual(['connecting', 'live', 'retrying', 'live']);
  });

  test('a connection on which nothing comes any more is taken for dead, and reopened', async () => {
    answers = [held(frame(1)), held(frame(2))];
    const close = open(50);
    await until(() => received.length === 2);
    close();
    expect(lastEventIds.slice(0, 2)).toEqual([null, 'evt_1']);
    expect(states.slice(0, 4)).toEqual(['connecting', 'live', 'retrying', 'retrying']);
  });

  test('an incomplete frame is not an event', async () => {
    answers = [dropped(frame(1), frame(2).slice(0, -1)), held(frame(2))];
    const close = open();
    await until(() => received.length === 2);
    close();
    expect(lastEventIds).toEqual([null, 'evt_1']);
  });

  test('a reconnected stream knows by the clock of the server since when events can be missing', async () => {
    const dated = (at: number) => () =>
      new Response(frame(1), { headers: { date: new Date(at).toUTCString(), 'content-type': 'text/event-stream' } });
    const serverTime = Date.UTC(2031, 0, 1);
    answers = [
      dated(serverTime),
      dated(serverTime + 60_000),
      () => new Response(frame(2), { headers: { date: 'soon' } }),
    ];
    const close = open();
    await until(() => opened.length >= 3);
    close();
    expect(opened[0]).toBeLessThan(serverTime - 10_000);
    expect(opened[0]).toBeGreaterThan(serverTime - 30_000);
    expect(opened[1]).toBeLessThan(serverTime + 60_000);
    expect(opened[1]).toBeGreaterThan(serverTime + 40_000);
    expect(opened[2]).toBe(0);
  });

  test('changes and deletions are passed on, and neither counts as the newest event', async () => {
    const change = `event: changed\ndata: ${JSON.stringify({ id: 'evt_1', tags: ['a'] })}\n\n`;
    answers = [
      dropped(frame(5), change, 'event: deleted\ndata: {"id":"evt_2"}\n\n', 'event: other\ndata: x\n\n'),
      held(),
    ];
    const close = open();
    await until(() => lastEventIds.length === 2);
    close();
    expect([received, changed, deleted, lastEventIds]).toEqual([['evt_5'], ['evt_1'], ['evt_2'], [null, 'evt_5']]);
  });

  test.each([401, 404])('a stream refused with %d does not reconnect', async status => {
    answers = [() => new Response('', { status })];
    const close = open();
    await until(() => refused.length === 1);
    close();
    expect(refused).toEqual([status]);
    expect(states.at(-1)).toBe('off');
    expect(lastEventIds).toHaveLength(1);
  });
});
