import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { EventSummary } from '../wire.ts';
import { type ConnectionState, openLiveStream } from './stream.ts';

const frame = (n: number): string => `event: event\nid: evt_${n}\ndata: ${JSON.stringify({ id: `evt_${n}` })}\n\n`;

/** The page as far as the stream asks for it. */
const page = Object.assign(new EventTarget(), { hidden: false });

const until = async (done: () => boolean): Promise<void> => {
  const deadline = performance.now() + 10_000;
  while (!done()) {
    if (performance.now() > deadline) throw new Error('it never happened');
    await Bun.sleep(5);
  }
};

describe('the live connection', () => {
  const asked: (string | null)[] = [];
  let answers: (() => Response)[] = [];
  let server: Bun.Server<undefined>;
  let seen: string[] = [];
  let states: ConnectionState[] = [];
  let refused: number[] = [];

  const cut =
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
  const open = () =>
    openLiveStream({
      url: `http://127.0.0.1:${server.port}/stream`,
      lastEventId: () => seen.at(-1),
      onEvent: (event: EventSummary) => void seen.push(event.id),
      onOpen: () => {},
      onState: state => void states.push(state),
      onRefused: status => void refused.push(status),
    });

  beforeEach(() => {
    Object.assign(globalThis, { document: page });
    [asked.length, seen, states, refused] = [0, [], [], []];
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        asked.push(request.headers.get('last-event-id'));
        return (answers.shift() ?? held())();
      },
    });
  });
  afterEach(async () => {
    Reflect.deleteProperty(globalThis, 'document');
    await server.stop(true);
  });

  test('cut off, it comes back and asks for what came after the newest event', async () => {
    answers = [cut(frame(1), frame(2)), () => new Response('busy', { status: 503 }), held(frame(3))];
    const close = open();
    await until(() => seen.length === 3);
    close();
    expect(seen).toEqual(['evt_1', 'evt_2', 'evt_3']);
    expect(asked).toEqual([null, 'evt_2', 'evt_2']);
    expect(states.filter((state, at) => state !== states[at - 1])).toEqual(['connecting', 'live', 'retrying', 'live']);
  });

  test('a frame that was cut in half is not an event', async () => {
    answers = [cut(frame(1), frame(2).slice(0, -1)), held(frame(2))];
    const close = open();
    await until(() => seen.length === 2);
    close();
    expect(asked).toEqual([null, 'evt_1']);
  });

  test.each([401, 404])('refused with %d it stays away', async status => {
    answers = [() => new Response('', { status })];
    const close = open();
    await until(() => refused.length === 1);
    close();
    expect(refused).toEqual([status]);
    expect(states.at(-1)).toBe('off');
    expect(asked).toHaveLength(1);
  });
});
