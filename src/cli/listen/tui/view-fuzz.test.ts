/* Random events, keys and window sizes in any order: the view keeps working, and the terminal obeys only the view. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { answer, capturedEvent, targetUrl } from '../../../testing/listen-session.ts';
import { escapeKey, openView } from '../../../testing/terminal-view.ts';
import type { CapturedEvent } from '../model.ts';

const hostile = fc.oneof(
  fc.constantFrom(
    '',
    'push',
    '漢字',
    '👩‍💻',
    '\x1b[2J\x1b[H',
    '\x1b]0;owned\x07',
    '\x9b3;4H\x90',
    '\u202eabc',
    '\r\n\n',
    '\ud83d',
    '\x1bc',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const body = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.json({ maxDepth: 3 }).map(text => Buffer.from(text)),
  hostile.map(text => Buffer.from(JSON.stringify({ [text]: text }))),
);
const event = fc
  .record({
    number: fc.nat(5),
    type: fc.option(hostile),
    platform: fc.option(hostile),
    path: hostile,
    body,
    value: hostile,
  })
  .map(({ number, value, body: bytes, ...rest }): CapturedEvent => {
    const given = { ...rest, headers: [[value, value]] as const, query: value, endpoint: value, preview: value };
    return capturedEvent({ id: `evt_${number}`, ...given, body: bytes });
  });
const said = fc.record({
  status: fc.option(fc.constantFrom(200, 204, 401, 500)),
  text: hostile,
  error: fc.option(hostile),
});
const sessionEvent = fc.oneof(
  event.map(one => ({ kind: 'received' as const, event: one, targets: [targetUrl] })),
  fc.record({ one: event, said }).map(given => ({
    ...{ kind: 'answered' as const, event: given.one, target: targetUrl, attempt: 1 },
    ...{ answer: answer(200, { text: given.said.text }), cause: 'feed' as const },
  })),
  fc
    .record({
      one: event,
      said,
      next: fc.constantFrom('retry', 'hold', 'skip', 'stop', 'none'),
      hint: fc.option(hostile),
    })
    .map(given => ({
      ...{ kind: 'failed' as const, event: given.one, target: targetUrl, attempt: 2, cause: 'again' as const },
      ...{ answer: answer(given.said.status, given.said), next: given.next, nextAt: null, hint: given.hint },
    })),
  fc.record({ one: event, reason: hostile }).map(given => ({
    ...{ kind: 'skipped' as const, event: given.one, target: null, attempt: 0, reason: given.reason },
  })),
  event.map(one => ({ kind: 'settled' as const, event: one, target: null, attempt: 0, answer: null })),
  hostile.map(text => ({ kind: 'notice' as const, text })),
  hostile.map(reason => ({ kind: 'disconnected' as const, server: reason, reason })),
  hostile.map(name => ({ kind: 'connected' as const, server: name, endpoints: [name, 'acme'] })),
);
const keys = ['r', 'e', 'd', 'p', 's', 'c', 'o', 'f', 'h', ' ', '?', 'j', 'k', 'g', 'G', '[', ']', 't', ':', '漢'];
const sequences = [
  '\r',
  '\t',
  '\x1b[A',
  '\x1b[B',
  '\x1b[5~',
  '\x1b[6~',
  '\x1b[Z',
  '\x1b[200~\x1b]0;x\x07\x1b[201~',
  '\x7f',
  '\x0c',
];
const action = fc.oneof(
  sessionEvent.map(one => ({ say: one })),
  fc.constantFrom(...keys, ...sequences, escapeKey).map(key => ({ key })),
  fc.record({ columns: fc.integer({ min: 1, max: 180 }), rows: fc.integer({ min: 1, max: 50 }) }),
  fc.constant('tick' as const),
);

test('any order of events, keys and sizes', () =>
  fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 60 }), async actions => {
      const view = openView({ canCopy: false });
      for (const one of actions) {
        if (one === 'tick') view.tick();
        else if ('say' in one) view.say(one.say);
        else if ('key' in one) view.press(one.key);
        else {
          view.emulator.resize(one);
          view.process.emit('resize');
        }
      }
      view.emulator.resize({ columns: 80, rows: 24 });
      view.process.emit('resize');
      view.press(escapeKey);
      view.tick();
      const lines = await view.screen();
      expect(lines[0]).toStartWith('hooktape listen');
      expect(lines[22]).toMatch(/^0 behind/);
      const { titles, replies, clipboard } = view.emulator;
      expect([titles, replies, clipboard, view.emulator.bells()]).toEqual([[], [], [], 0]);
      view.press('q');
      await view.view.done;
      expect([await view.emulator.isAlternate(), view.waitingTimers(), view.process.listenerCount()]).toEqual([
        false,
        0,
        0,
      ]);
    }),
    { numRuns: 40 },
  ));
