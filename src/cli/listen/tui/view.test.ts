import { describe, expect, test } from 'bun:test';
import { answer, capturedEvent, targetUrl } from '../../../testing/listen-session.ts';
import { eventually } from '../../../testing/poll.ts';
import { openView } from '../../../testing/terminal-view.ts';
import { OperationError } from '../../io.ts';
import type { AfterFailure, Answer, CapturedEvent } from '../model.ts';

type View = ReturnType<typeof openView>;

const connect = ({ say }: View): void =>
  say({ kind: 'connected', server: 'https://hooks.example.com', endpoints: ['acme'] });

function receive(view: View, event: CapturedEvent, said?: Answer): void {
  view.say({ kind: 'received', event, targets: [targetUrl] });
  if (!said) return;
  view.say({ kind: 'answered', event, target: targetUrl, attempt: 1, answer: said, cause: 'feed' });
  view.say({ kind: 'settled', event, target: targetUrl, attempt: 1, answer: said });
}
const fail = (
  view: View,
  event: CapturedEvent,
  next: AfterFailure,
  said = answer(500),
  nextAt: number | null = null,
): void =>
  view.say({
    kind: 'failed',
    event,
    target: targetUrl,
    attempt: 1,
    answer: said,
    cause: 'feed',
    next,
    nextAt,
    hint: null,
  });

/** Three events, all answered 200: evt_1 to evt_3 with the types one, two, three. */
function openWithEvents(given: Parameters<typeof openView>[0] = {}) {
  const view = openView(given);
  connect(view);
  for (const [at, type] of ['one', 'two', 'three'].entries())
    receive(view, capturedEvent({ id: `evt_${at + 1}`, type, text: `{"number":${at + 1}}` }), answer(200));
  return view;
}
const rowOf = (lines: readonly string[], part: string): string => lines.find(line => line.includes(part)) ?? '';
const text = (lines: readonly string[]): string => lines.join('\n');
const pressEscape = (view: View): void => {
  view.press('\x1b');
  view.tick();
};

describe('the list', () => {
  test('says that it connects, then that it waits', async () => {
    const view = openView();
    expect(text(await view.screen())).toContain('Connecting…');
    connect(view);
    const lines = await view.screen();
    expect(lines[0]).toMatch(/^hooktape listen {2}acme → localhost:3000\/webhooks +● connected$/);
    expect(text(lines)).toContain('Waiting for the next event.');
    expect(lines[22]).toStartWith('0 behind');
  });

  test('shows what became of each event', async () => {
    const view = openWithEvents();
    receive(view, capturedEvent({ id: 'evt_4', type: 'held' }));
    fail(view, capturedEvent({ id: 'evt_4' }), 'hold');
    receive(view, capturedEvent({ id: 'evt_5', type: 'retried' }));
    fail(view, capturedEvent({ id: 'evt_5' }), 'retry', answer(null), view.clock.now() + 3500);
    receive(view, capturedEvent({ id: 'evt_6', type: null, platform: null, path: '/orders', verdict: 'invalid' }));
    view.say({ kind: 'behind', behind: 3 });
    const lines = await view.screen();
    expect(rowOf(lines, 'one')).toMatch(/^ {2}14:03:22 {2}one +stripe {2}200 {2}12 ms$/);
    expect(rowOf(lines, 'held  ')).toMatch(/500 {2}held$/);
    expect(rowOf(lines, 'retried')).toMatch(/no answer {2}again in 4 s$/);
    expect(rowOf(lines, '/orders')).toMatch(/^> 14:03:22 {2}! POST \/orders +waiting$/);
    expect(lines[22]).toMatch(/^3 behind {3}HELD {2}held, h to see it +6 received, 3 ok, 2 failed$/);
  });

  test('counts down until the next try, and no longer than needed', async () => {
    const view = openView();
    connect(view);
    receive(view, capturedEvent());
    fail(view, capturedEvent(), 'retry', answer(500), view.clock.now() + 3000);
    expect(text(await view.screen())).toContain('again in 3 s');
    view.clock.advance(2000);
    expect(text(await view.screen())).toContain('again in 1 s');
    receive(view, capturedEvent(), answer(200));
    await view.screen();
    expect(view.waitingTimers()).toBe(0);
  });

  test('follows new events until another one is selected, and again from the end', async () => {
    const view = openWithEvents();
    expect(rowOf(await view.screen(), '>')).toContain('three');
    view.press('\x1b[A');
    receive(view, capturedEvent({ id: 'evt_4', type: 'four' }), answer(200));
    expect(rowOf(await view.screen(), '>')).toContain('two');
    view.press('G');
    receive(view, capturedEvent({ id: 'evt_5', type: 'five' }), answer(200));
    expect(rowOf(await view.screen(), '>')).toContain('five');
  });

  test('of thousands of events draws and keeps a part', async () => {
    const view = openView();
    connect(view);
    for (let i = 0; i < 5000; i++) receive(view, capturedEvent({ id: `evt_${i}`, type: `type.${i}` }), answer(200));
    let lines = await view.screen();
    expect([rowOf(lines, '>'), lines[22]]).toEqual([
      expect.stringContaining('type.4999'),
      expect.stringContaining('5,000 received, 5,000 ok'),
    ]);
    expect(lines.filter(line => line.includes('type.'))).toHaveLength(20);
    view.press('g');
    lines = await view.screen();
    expect(lines[2]).toStartWith('> ');
    expect(Number(/type\.(\d+)/.exec(lines[2] ?? '')?.[1])).toBeGreaterThanOrEqual(3000);
    view.press('\x1b[6~');
    expect((await view.screen()).findIndex(line => line.startsWith('> '))).toBeGreaterThan(10);
  });

  test('draws many events at once as one frame', async () => {
    const view = openView();
    connect(view);
    await view.screen();
    view.emulator.takeWritten();
    for (let i = 0; i < 300; i++) receive(view, capturedEvent({ id: `evt_${i}` }), answer(200));
    expect(view.emulator.takeWritten()).toBe('');
    await view.screen();
    expect(view.emulator.takeWritten().split('\x1b[?2026h')).toHaveLength(2);
  });

  test('without targets shows what is in the events', async () => {
    const view = openView({ session: { targets: [] } });
    connect(view);
    view.say({ kind: 'received', event: capturedEvent(), targets: [] });
    const lines = await view.screen();
    expect(lines[1]).toContain('BODY');
    expect(rowOf(lines, '>')).toContain('{"id":"in_1"');
    view.press('r');
    expect(text(await view.screen())).toContain('There is no target: start with --to URL.');
  });

  test('says when the connection is lost, and that nothing else is', async () => {
    const view = openView();
    view.say({ kind: 'disconnected', server: 'https://hooks.example.com', reason: 'connection refused' });
    const lines = await view.screen();
    expect(lines[0]).toEndWith('○ no connection, trying again');
    expect(text(lines)).toMatch(/No connection to https:\/\/hooks\.example\.com\n.*connection refused/);
  });
});

describe('one event', () => {
  test('has its answers, body and headers, and goes back to the list', async () => {
    const view = openWithEvents();
    view.press('\r');
    const lines = text(await view.screen());
    expect(lines).toMatch(
      /three {2}stripe +evt_3\n14:03:22 \(2026-11-22T14:03:22Z\) · 12 B · signature valid\nPOST \/ to acme/,
    );
    expect(lines).toMatch(/── Answers ─+\n#1 {2}14:03:22 {2}200 {2}12 ms {2}http:\/\/localhost:3000\/webhooks/);
    expect(lines).toMatch(/── Answer #1: 200 ─+\ncontent-type: text\/plain\n\nok/);
    expect(lines).toMatch(/── Body, 12 B ─+\n\{\n {2}"number": 3\n\}/);
    view.press('[');
    expect(text(await view.screen())).toContain('two  stripe');
    pressEscape(view);
    expect(rowOf(await view.screen(), '>')).toContain('two');
  });

  test('longer than the screen is scrolled, by sections too', async () => {
    const view = openView();
    connect(view);
    const body = JSON.stringify(Array.from({ length: 60 }, (_, i) => i));
    receive(view, capturedEvent({ text: body }), answer(200));
    view.press('\r');
    expect((await view.screen())[23]).toMatch(/1-21 of \d+ {2}\? help {2}q quit$/);
    view.press('\t', '\t', '\t');
    expect((await view.screen())[1]).toStartWith('── Body');
    view.press('\x1b[B');
    expect((await view.screen())[1]).toBe('[');
    view.press('\x1b[Z');
    expect((await view.screen())[1]).toStartWith('── Body');
    view.press('\x1b[F');
    expect((await view.screen())[21]).toStartWith('User-Agent: ');
    view.press('\x1b[5~', '\x1b[H');
    expect((await view.screen())[1]).toContain('invoice.paid');
  });

  test('with a body of bytes shows them in hexadecimal', async () => {
    const view = openView();
    connect(view);
    receive(view, capturedEvent({ body: Buffer.from([0, 1, 0x1b, 0x5b, 0x41, 0xff]) }), answer(200));
    view.press('\r');
    expect(text(await view.screen())).toMatch(/6 B that are not text\n0000 {2}00 01 1b 5b 41 ff +\.\.\.\[A\./);
  });

  test('stands beside the list where there is room', async () => {
    const view = openWithEvents({ columns: 140, rows: 30 });
    const lines = await view.screen();
    expect(rowOf(lines, '> ')).toMatch(/^> 14:03:22 {2}three +stripe {2}200 {2}12 ms +│/);
    expect(text(lines)).toMatch(/│ {3}"number": 3/);
    view.press('k');
    expect(text(await view.screen())).toMatch(/│ {3}"number": 2/);
  });
});

describe('keys', () => {
  test('r sends again and says what the target answered', async () => {
    const view = openWithEvents();
    view.press('k', 'r');
    expect((await view.screen())[23]).toBe('Sent again: 200 in 12 ms');
    expect(view.calls).toEqual([['again', 'evt_2']]);
  });

  test('r that fails says why, and the view goes on', async () => {
    const view = openWithEvents({
      session: { again: () => Promise.reject(new OperationError('the event is gone\x1b]0;owned\x07')) },
    });
    view.press('r');
    expect((await view.screen())[23]).toBe('the event is gone\\u001b]0;owned\\u0007');
    view.press('k');
    expect((await view.screen())[23]).toStartWith('enter show');
    expect(view.emulator.titles).toEqual([]);
  });

  test('d shows how two answers differ', async () => {
    const view = openWithEvents();
    view.press('d');
    expect((await view.screen())[23]).toContain('There is one answer so far.');
    const event = capturedEvent({ id: 'evt_3', type: 'three' });
    const say = (status: number, body: unknown): void => {
      const said = answer(status, { text: JSON.stringify(body), headers: [['x-id', String(status)]] });
      view.say({ kind: 'answered', event, target: targetUrl, attempt: 1, answer: said, cause: 'again' });
    };
    say(500, { error: 'no', list: [1, 2, 3, 4, 5, 6, 7, 8] });
    say(200, { error: null, list: [1, 2, 3, 4, 5, 6, 7, 8] });
    view.press('d');
    const lines = text(await view.screen());
    expect(lines).toMatch(/^- #2 .* 500 .*\n\+ #3 .* 200 /m);
    expect(lines).toMatch(/- x-id: 500\n\+ x-id: 200/);
    expect(lines).toMatch(
      / {2}\{\n- {3}"error": "no",\n\+ {3}"error": null,\n {4}"list": \[\n {6}1,\n {6}2,\n {2}… 8 equal lines/,
    );
    view.press('[');
    expect(text(await view.screen())).toMatch(/^- #1 .* 200 .*\n\+ #2 .* 500 /m);
    view.press(']');
    say(201, {});
    expect(text(await view.screen())).toMatch(/^- #3 .* 200 .*\n\+ #4 .* 201 /m);
    pressEscape(view);
    expect((await view.screen())[1]).toContain('TIME');
  });

  test('e sends what was saved in the editor, and takes the screen back', async () => {
    const seen: unknown[] = [];
    const view: View = openWithEvents({
      edit: async body => {
        seen.push(Buffer.from(body).toString(), await view.emulator.isAlternate(), view.process.seen.isRaw);
        return Buffer.from('{"number":33}');
      },
    });
    view.press('e');
    await eventually(() => view.calls.length > 0);
    const lines = await view.screen();
    expect(seen).toEqual(['{"number":3}', false, false]);
    expect(view.calls).toEqual([['sendEdited', 'evt_3', '{"number":33}']]);
    expect([await view.emulator.isAlternate(), view.process.seen.isRaw]).toEqual([true, true]);
    expect(lines[1]).toContain('TIME');
    expect((await view.screen())[23]).toBe('Sent as edited: 200 in 12 ms');
  });

  test('e without a change, or with an editor that fails, sends nothing', async () => {
    const same = openWithEvents();
    same.press('e');
    await same.screen();
    expect((await same.screen())[23]).toBe('Nothing was changed, so nothing was sent.');
    const failing = openWithEvents({ edit: () => Promise.reject(new OperationError('the editor (vi) ended with 1')) });
    failing.press('e');
    await failing.screen();
    expect((await failing.screen())[23]).toBe('the editor (vi) ended with 1');
    expect([...same.calls, ...failing.calls]).toEqual([]);
    expect(await failing.emulator.isAlternate()).toBe(true);
  });

  test('p pins, and the list shows it', async () => {
    const view = openWithEvents();
    view.press('p');
    const lines = await view.screen();
    expect(view.calls).toEqual([['pin', 'evt_3']]);
    expect(rowOf(lines, '> ')).toContain('* three');
    expect(lines[23]).toStartWith('Pinned.');
  });

  test('s skips; h goes to the event that is held', async () => {
    const view = openWithEvents();
    fail(view, capturedEvent({ id: 'evt_1' }), 'hold');
    view.press('h');
    expect(rowOf(await view.screen(), '> ')).toContain('one');
    view.press('s');
    expect((await view.screen())[23]).toStartWith('Skipped');
    view.say({
      kind: 'skipped',
      event: capturedEvent({ id: 'evt_1' }),
      target: targetUrl,
      attempt: 1,
      reason: 'by hand',
    });
    const lines = await view.screen();
    expect(rowOf(lines, '> ')).toContain('500  skipped');
    expect(lines[22]).not.toContain('HELD');
    expect(view.calls).toEqual([['skip', 'evt_1']]);
  });

  test('s with nothing to skip says so', async () => {
    const view = openWithEvents({ session: { skip: () => false } });
    view.press('s');
    expect((await view.screen())[23]).toStartWith('There is nothing to skip');
  });

  test('c shows the command, and copies it only where that is safe', async () => {
    const view = openWithEvents();
    view.press('c');
    expect(text(await view.screen())).toContain(`hooktape send evt_3 --to ${targetUrl}`);
    expect(view.emulator.clipboard).toEqual([
      `c;${Buffer.from(`hooktape send evt_3 --to ${targetUrl}`).toString('base64')}`,
    ]);
    const strange = openWithEvents({ session: { command: () => 'hooktape send \u202eevt' } });
    strange.press('c');
    expect(text(await strange.screen())).toContain('hooktape send \\u202eevt');
    const without = openWithEvents({ canCopy: false });
    without.press('c');
    expect(text(await without.screen())).toContain('Select it with the mouse to copy it.');
    expect([...strange.emulator.clipboard, ...without.emulator.clipboard]).toEqual([]);
  });

  test('o opens the dashboard, or says where it is', async () => {
    const opened: string[] = [];
    const view = openWithEvents({ openUrl: url => opened.push(url) > 0 });
    view.press('o');
    expect((await view.screen())[23]).toBe('Opened http://localhost:4665/events/evt_3');
    expect(opened).toEqual(['http://localhost:4665/events/evt_3']);
    const without = openWithEvents({ openUrl: () => false });
    without.press('o');
    expect((await without.screen())[23]).toBe('Open it in a browser: http://localhost:4665/events/evt_3');
  });

  test('space pauses and goes on', async () => {
    const view = openWithEvents();
    view.press(' ');
    expect((await view.screen())[22]).toContain(' PAUSED ');
    expect(view.session.isPaused()).toBe(true);
    view.press(' ');
    expect((await view.screen())[22]).not.toContain('PAUSED');
    expect(view.session.isPaused()).toBe(false);
  });

  test('? explains every key on one screen', async () => {
    const view = openWithEvents();
    view.press('?');
    const lines = await view.screen();
    for (const key of ['enter', 'r', 'e', 'd', 'p', 's', 'c', 'o', 'f', 'space', 'q, ctrl-c'])
      expect(lines.filter(line => line.startsWith(`  ${key} `))).toHaveLength(1);
    expect(lines[23]).not.toContain(' of ');
    view.press('?');
    expect((await view.screen())[1]).toContain('TIME');
  });

  test('pasted text is no command', async () => {
    const view = openWithEvents();
    view.press('\x1b[200~rspq\x1b[201~');
    await view.screen();
    expect(view.calls).toEqual([]);
  });

  test('before the first event say that there is none', async () => {
    const view = openView();
    for (const key of ['r', 'e', 'd', 'p', 's', 'c', 'o', '\r', '\x1b[A', '[', '\t', 'g']) view.press(key);
    await view.screen();
    expect(view.calls).toEqual([]);
    view.press('r');
    expect((await view.screen())[23]).toBe('There is no event yet.');
  });
});

describe('the filter', () => {
  test('is typed, checked and applied; it can be taken away again', async () => {
    const view = openWithEvents();
    view.press('f', 'tyq');
    let lines = await view.screen();
    expect(lines.slice(22)).toEqual(['unknown field in tyq', 'Filter: tyq']);
    expect(await view.emulator.cursor()).toEqual({ row: 23, column: 11 });
    view.press('\r');
    expect((await view.screen())[23]).toBe('Filter: tyq');
    view.press('\x7f', '\x1b[200~pe:two\n\x1b[201~', '\r');
    lines = await view.screen();
    expect(lines.filter(line => /one|two|three/.test(line) && /14:03/.test(line))).toEqual([
      expect.stringContaining('two'),
    ]);
    expect(lines[22]).toContain('filter type:two');
    view.press('f', '\x15', '\r');
    expect(rowOf(await view.screen(), 'one')).not.toBe('');
  });

  test('that nothing matches says so, and Escape changes nothing', async () => {
    const view = openWithEvents();
    view.press('f', 'type:none\r');
    expect(text(await view.screen())).toContain('None of the 3 events matches the filter.');
    view.press('f', 'x');
    pressEscape(view);
    const lines = await view.screen();
    expect(lines[22]).toContain('filter type:none');
    expect(lines[23]).toStartWith('space pause');
  });

  test('longer than the line shows the part around the cursor', async () => {
    const view = openWithEvents();
    view.press('f', `type:${'漢'.repeat(60)}`);
    expect((await view.screen())[23]).toMatch(/^Filter: 漢+$/);
    expect((await view.emulator.cursor()).column).toBeLessThan(80);
    view.press('\x1b[H');
    expect((await view.screen())[23]).toMatch(/^Filter: type:漢+…?$/);
    expect((await view.emulator.cursor()).column).toBe(8);
  });
});

describe('the window', () => {
  test('can be resized at any time', async () => {
    const view = openWithEvents();
    for (const size of [
      { columns: 140, rows: 40 },
      { columns: 40, rows: 8 },
      { columns: 80, rows: 24 },
    ]) {
      view.emulator.resize(size);
      view.process.emit('resize');
      const lines = await view.screen();
      expect(lines).toHaveLength(size.rows);
      expect(rowOf(lines, '> ')).toContain('three');
      expect(lines[size.rows - 2]).toStartWith('0 behind');
      expect(lines[size.rows - 1]).toEndWith('q quit');
    }
  });

  test.each([
    [39, 24],
    [80, 7],
    [10, 3],
    [1, 1],
  ])('of %p columns and %p rows is too small, which it says', async (columns, rows) => {
    const view = openWithEvents({ columns, rows });
    const lines = await view.screen();
    expect(lines.join('')).toStartWith('This window has'.slice(0, columns > 1 ? 4 : 1));
    view.press('q');
    await view.view.done;
  });

  test('without colour says everything in text', async () => {
    const view = openWithEvents({ env: { NO_COLOR: '1' } });
    fail(view, capturedEvent({ id: 'evt_3' }), 'hold');
    view.press('r');
    const lines = await view.screen();
    expect(await view.emulator.hasColors()).toBe(false);
    expect(text(lines)).toMatch(/> .*500 {2}held[\s\S]* HELD /);
    const colored = openWithEvents();
    await colored.screen();
    expect(await colored.emulator.hasColors()).toBe(true);
  });

  test('Ctrl+L repairs the screen', async () => {
    const view = openWithEvents();
    const before = await view.screen();
    view.emulator.write('\x1b[2J\x1b[Hrubbish of another program');
    view.press('\x0c');
    expect(await view.screen()).toEqual(before);
  });
});

describe('hostile events', () => {
  const attack = '\x1b]0;owned\x07\x1b[2J\x1b[1;1H\x9b5A\u202e\r\n\b\x1b[?1049l';

  test('change nothing of the terminal, wherever their text is shown', async () => {
    const view = openView({
      columns: 130,
      rows: 40,
      session: { targets: [{ name: attack, url: null, where: attack }] },
    });
    const said = answer(500, { error: attack, text: attack, headers: [[attack, attack]] });
    const event = capturedEvent({
      id: attack,
      type: attack,
      platform: attack,
      method: attack,
      path: attack,
      query: attack,
      endpoint: attack,
      preview: attack,
      headers: [[attack, attack]],
      text: JSON.stringify({ [attack]: attack }) + attack,
    });
    const cleanLines = async (): Promise<void> => {
      const lines = await view.screen();
      expect(lines).toHaveLength(40);
      expect(lines[0]).toStartWith('hooktape listen');
      expect(lines[38]).toStartWith('7 behind');
      expect(await view.emulator.isAlternate()).toBe(true);
    };
    view.say({ kind: 'connected', server: attack, endpoints: [attack] });
    view.say({ kind: 'behind', behind: 7 });
    view.say({ kind: 'received', event, targets: [attack] });
    for (let attempt = 1; attempt <= 2; attempt++)
      view.say({
        kind: 'failed',
        event,
        target: attack,
        attempt,
        answer: said,
        cause: 'feed',
        next: 'hold',
        nextAt: null,
        hint: attack,
      });
    view.say({ kind: 'notice', text: attack });
    await cleanLines();
    for (const key of ['\r', '\t', 'd', 'c', '?', '\x1b[F', 'r', 's', 'o', 'p']) {
      view.press(key);
      await cleanLines();
    }
    pressEscape(view);
    pressEscape(view);
    view.say({ kind: 'disconnected', server: attack, reason: attack });
    view.press('f', `\x1b[200~${attack}\x1b[201~`);
    expect(await view.screen()).toHaveLength(40);
    expect({ ...view.emulator, bells: view.emulator.bells() }).toMatchObject({ titles: [], replies: [], bells: 0 });
  });
});

describe('the end', () => {
  test('q waits until the session has ended, and gives the terminal back', async () => {
    const stopped = Promise.withResolvers<void>();
    const view = openWithEvents({ session: { stop: () => stopped.promise } });
    view.press('q');
    expect((await view.screen())[23]).toStartWith('Ending: what is under way is finished first.');
    expect(await view.emulator.isAlternate()).toBe(true);
    stopped.resolve();
    await view.view.done;
    expect([await view.emulator.isAlternate(), view.process.seen.isRaw, view.process.listenerCount()]).toEqual([
      false,
      false,
      0,
    ]);
    expect([view.subscribers(), view.waitingTimers()]).toEqual([0, 0]);
  });

  test('q twice does not wait', async () => {
    const view = openWithEvents({ session: { stop: () => new Promise(() => {}) } });
    view.press('\x03', '\x03');
    await view.view.done;
    expect(await view.emulator.isAlternate()).toBe(false);
  });

  test('a session that cannot end says why, on the screen of the shell', async () => {
    const view = openWithEvents({
      session: { stop: () => Promise.reject(new OperationError('the position was not saved')) },
    });
    view.press('q');
    await expect(view.view.done).rejects.toThrow('the position was not saved');
    expect(await view.emulator.isAlternate()).toBe(false);
  });

  test('an exception in the view gives the terminal back first', async () => {
    const view = openWithEvents({
      session: {
        openUrl: () => {
          throw new Error('broken');
        },
      },
    });
    view.press('o');
    await expect(view.view.done).rejects.toThrow('broken');
    expect([await view.emulator.isAlternate(), view.process.seen.isRaw]).toEqual([false, false]);
  });

  test('what the session says afterwards is not drawn', async () => {
    const view = openWithEvents();
    view.view.close();
    view.emulator.takeWritten();
    receive(view, capturedEvent({ id: 'evt_9' }), answer(200));
    await view.screen();
    expect(view.emulator.takeWritten()).toBe('');
  });
});
