import { describe, expect, test } from 'bun:test';
import { answer, capturedEvent, targetUrl } from '../../../testing/listen-session.ts';
import {
  connect,
  fail,
  openView,
  openWithEvents,
  pressEscape,
  receive,
  rowOf,
  text,
} from '../../../testing/terminal-view.ts';

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

  test('shows the outcome of each event', async () => {
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
    expect(rowOf(lines, 'retried')).toMatch(/no response {2}retry in 4 s$/);
    expect(rowOf(lines, '/orders')).toMatch(/^> 14:03:22 {2}! POST \/orders +waiting$/);
    expect(lines[22]).toMatch(/^3 behind {3}HELD {2}held, press h to show it +6 received, 3 ok, 2 failed$/);
  });

  test('has exit codes of programs, and of several targets the one that needs attention', async () => {
    const view = openView();
    connect(view);
    const program = 'exec:handle';
    const event = capturedEvent();
    view.say({ kind: 'received', event, targets: [targetUrl, program] });
    view.say({ kind: 'answered', event, target: targetUrl, attempt: 1, answer: answer(200), cause: 'feed' });
    const exited = answer(1, { error: 'exit code 1' });
    const about = { event, target: program, attempt: 1, answer: exited, cause: 'feed' } as const;
    view.say({ kind: 'failed', ...about, next: 'hold', nextAt: null, hint: null });
    expect(rowOf(await view.screen(), '>')).toMatch(/exit 1 {2}held {2}1 of 2$/);
    view.press('\r');
    expect(text(await view.screen())).toMatch(/\nexit 1 {2}held {2}exec:handle\n#1 .* 200 .*\n#2 .* exit 1 /);
  });

  test('counts down until the next try, and no longer than needed', async () => {
    const view = openView();
    connect(view);
    receive(view, capturedEvent());
    fail(view, capturedEvent(), 'retry', answer(500), view.clock.now() + 3000);
    expect(text(await view.screen())).toContain('retry in 3 s');
    view.clock.advance(2000);
    expect(text(await view.screen())).toContain('retry in 1 s');
    fail(view, capturedEvent(), 'hold', answer(500), view.clock.now() + 60_000);
    expect(text(await view.screen())).toContain('500  held, retry in 60 s');
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

  test('without targets shows the contents of the events', async () => {
    const view = openView({ session: { targets: [] } });
    connect(view);
    view.say({ kind: 'received', event: capturedEvent(), targets: [] });
    const lines = await view.screen();
    expect(lines[1]).toContain('BODY');
    expect(rowOf(lines, '>')).toContain('{"id":"in_1"');
    view.press('r');
    expect(text(await view.screen())).toContain('No target. Start with --to URL.');
  });

  test('says when the connection is lost, and that nothing else is', async () => {
    const view = openView();
    view.say({ kind: 'disconnected', server: 'https://hooks.example.com', reason: 'connection refused' });
    const lines = await view.screen();
    expect(lines[0]).toEndWith('○ disconnected, reconnecting');
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
    expect(lines).toMatch(/── Responses ─+\n#1 {2}14:03:22 {2}200 {2}12 ms {2}http:\/\/localhost:3000\/webhooks/);
    expect(lines).toMatch(/── Response #1: 200 ─+\ncontent-type: text\/plain\n\nok/);
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
    expect(text(await view.screen())).toMatch(/6 B of binary data\n0000 {2}00 01 1b 5b 41 ff +\.\.\.\[A\./);
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
