import { describe, expect, test } from 'bun:test';
import { answer, capturedEvent, targetUrl } from '../../../testing/listen-session.ts';
import { eventually } from '../../../testing/poll.ts';
import {
  fail,
  type LedView,
  openView,
  openWithEvents,
  pressEscape,
  rowOf,
  text,
} from '../../../testing/terminal-view.ts';
import { OperationError } from '../../io.ts';

describe('keys', () => {
  test('r sends again and shows the answer of the target', async () => {
    const view = openWithEvents();
    view.press('k', 'r');
    expect((await view.screen())[23]).toBe('Sent again: 200 in 12 ms');
    expect(view.calls).toEqual([['again', 'evt_2']]);
  });

  test('r without an answer shows the reason, here and among the answers', async () => {
    const refused = answer(null, { error: 'connection refused' });
    const view = openWithEvents({ session: { again: async () => [refused] } });
    view.press('r');
    expect((await view.screen())[23]).toBe('Sent again: no response: connection refused');
    fail(view, capturedEvent({ id: 'evt_3', type: 'three' }), 'retry', refused);
    view.press('\r');
    expect(text(await view.screen())).toMatch(/#2 {2}14:03:22 {2}no response {2}12 ms .*\n {4}connection refused\n/);
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
    expect((await view.screen())[23]).toContain('Only one response so far.');
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

  test('e sends the text saved in the editor, and takes the screen back', async () => {
    const seen: unknown[] = [];
    const view: LedView = openWithEvents({
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

  test('e with an answer that a signature explains shows why', async () => {
    const refused = answer(400, { error: 'returned 400' });
    const hint = 'the signature no longer fits: try --resign --secret-env N';
    const view: LedView = openWithEvents({
      edit: async () => Buffer.from('{"number":33}'),
      session: {
        sendEdited: async id => {
          const event = capturedEvent({ id });
          const about = { at: 0, event, target: targetUrl, attempt: 1, answer: refused, cause: 'edited' } as const;
          view.say({ ...about, kind: 'failed', next: 'none', nextAt: null, hint });
          return [refused];
        },
      },
    });
    view.press('e');
    await eventually(async () => (await view.screen())[23] === `400 in 12 ms; ${hint}`);
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
    expect((await view.screen())[23]).toStartWith('Nothing to skip');
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
    expect((await view.screen())[23]).toBe('No event yet.');
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
    expect(text(await view.screen())).toContain('No event matches the filter (3 in total).');
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
