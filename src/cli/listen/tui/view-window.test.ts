import { describe, expect, test } from 'bun:test';
import { answer, capturedEvent } from '../../../testing/listen-session.ts';
import { fail, openView, openWithEvents, pressEscape, receive, rowOf, text } from '../../../testing/terminal-view.ts';
import { thrownBy } from '../../../testing/thrown-by.ts';
import { OperationError } from '../../io.ts';

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
    expect(lines.join('')).toStartWith('The window is'.slice(0, columns > 1 ? 3 : 1));
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
    expect((await view.screen())[23]).toStartWith('Finishing running deliveries.');
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
    expect(await thrownBy(view.view.done)).toThrow('the position was not saved');
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
    expect(await thrownBy(view.view.done)).toThrow('broken');
    expect([await view.emulator.isAlternate(), view.process.seen.isRaw]).toEqual([false, false]);
  });

  test('later messages of the session are not drawn', async () => {
    const view = openWithEvents();
    view.view.close();
    view.emulator.takeWritten();
    receive(view, capturedEvent({ id: 'evt_9' }), answer(200));
    await view.screen();
    expect(view.emulator.takeWritten()).toBe('');
  });
});
