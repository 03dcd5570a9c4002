/* A session as lines and as JSON lines, also with hostile text. */
import { describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { answer, capturedEvent, createLedSession, targetUrl } from '../../testing/listen-session.ts';
import type { Io } from '../io.ts';
import { printSession } from './lines.ts';
import type { ListenSession } from './model.ts';

function open(
  format: 'lines' | 'json',
  given: Partial<ListenSession> = {},
  { isTerminal = false, isForeground = () => true }: Partial<Pick<Io, 'isTerminal' | 'isForeground'>> = {},
) {
  const led = createLedSession(given);
  const said = { stdout: '', stderr: '' };
  const clock = holdClock();
  const wakes: (() => void)[] = [];
  const io = {
    isTerminal,
    isForeground,
    clock,
    sleep: () => new Promise<void>(resolve => void wakes.push(resolve)),
    stdout: (text: string) => {
      said.stdout += text;
      return true;
    },
    stderr: (text: string) => {
      said.stderr += text;
    },
  } as unknown as Io;
  const end = printSession(io, led.session, format);
  return { ...led, said, clock, wakes, end };
}
const at = Date.UTC(2026, 10, 22, 14, 3, 30);
const hostile = '\u001b]0;owned\u0007\u001b[2J\r\u202e\u009b1m';

describe('lines', () => {
  test('show the outcome of each delivery; retries and hints are on stderr', () => {
    const { say: emit, said, end } = open('lines');
    const event = capturedEvent();
    const about = { at, event, target: targetUrl, cause: 'feed' } as const;
    emit({ kind: 'received', at, event, targets: [targetUrl] });
    const refused = answer(500, { error: 'returned 500', text: 'oops\nsecond' });
    emit({ ...about, kind: 'failed', attempt: 1, answer: refused, next: 'retry', nextAt: at + 1500, hint: 'try this' });
    emit({ ...about, kind: 'failed', attempt: 2, answer: refused, next: 'hold', nextAt: at + 60_000, hint: null });
    emit({ ...about, kind: 'answered', attempt: 3, answer: answer(200) });
    emit({ kind: 'settled', at, event, target: targetUrl, attempt: 3, answer: answer(200) });
    emit({ ...about, kind: 'answered', attempt: 1, answer: answer(201), cause: 'again' });
    emit({ kind: 'skipped', at, event, target: targetUrl, attempt: 4, reason: 'not delivered after 4 attempts' });
    end();
    const what = `invoice.paid  evt_1  -> ${targetUrl}`;
    expect(said.stdout.split('\n')).toEqual([
      `14:03:30  500 in 12 ms  ${what}`,
      `14:03:30  500 in 12 ms  ${what}  (attempt 2)`,
      `14:03:30  200 in 12 ms  ${what}  (attempt 3)`,
      `14:03:30  201 in 12 ms  ${what}  [again]`,
      `14:03:30  skipped  ${what}  not delivered after 4 attempts`,
      '',
    ]);
    expect(said.stderr.split('\n')).toEqual([
      '0 behind',
      '  oops',
      '  second',
      '  try this',
      '  Retrying in 1.5 seconds.',
      '  oops',
      '  second',
      '  Holding evt_1 and all later events; retrying in 60 seconds.',
      '',
    ]);
  });

  test('name the exit code of a program', () => {
    const { say: emit, said, end } = open('lines');
    const about = { at, event: capturedEvent(), target: 'exec:./work', cause: 'feed', attempt: 1 } as const;
    const failed = { ...about, kind: 'failed', next: 'none', nextAt: null, hint: null } as const;
    emit({ ...about, kind: 'answered', answer: answer(0, { isOk: true }) });
    emit({ ...failed, answer: answer(7, { error: 'exited with 7' }) });
    emit({ ...failed, answer: answer(null, { error: 'did not exit within 30 s' }) });
    end();
    const outcomes = said.stdout.split('\n').map(line => line.split('  ')[1]);
    expect(outcomes).toEqual([
      'exit 0 in 12 ms',
      'exit 7 in 12 ms',
      'no exit code (did not exit within 30 s)',
      undefined,
    ]);
  });

  test.each(['lines', 'json'] as const)('as %s escape whatever comes from elsewhere', format => {
    const { say: emit, said, end } = open(format, { targets: [] });
    const event = capturedEvent({ id: hostile, type: hostile, platform: hostile, preview: hostile, endpoint: hostile });
    const given = {
      status: 500,
      error: hostile,
      text: `${hostile}\n${hostile}`,
      headers: [[hostile, hostile] as const],
    };
    const about = {
      at,
      event,
      target: `exec:${hostile}`,
      attempt: 1,
      answer: answer(500, given),
      cause: 'feed',
    } as const;
    emit({ kind: 'received', at, event, targets: [] });
    emit({ ...about, kind: 'failed', next: 'hold', nextAt: at, hint: hostile });
    emit({
      ...about,
      kind: 'failed',
      next: 'none',
      nextAt: null,
      hint: null,
      answer: answer(null, { error: hostile }),
    });
    emit({ ...about, kind: 'answered' });
    emit({ kind: 'skipped', at, event, target: hostile, attempt: 1, reason: hostile });
    emit({ kind: 'disconnected', at, server: hostile, reason: hostile });
    emit({ kind: 'connected', at, server: hostile, endpoints: [hostile] });
    emit({ kind: 'notice', at, text: hostile });
    end();
    expect(said.stdout.length).toBeGreaterThan(100);
    expect(`${said.stdout}${said.stderr}`).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
  });
});

describe('how far it is behind', () => {
  test('is said when it has changed, at most once a second', async () => {
    let behind = 3;
    const { say: emit, said, clock, wakes, end } = open('json', { behind: () => behind });
    emit({ kind: 'behind', at, behind });
    for (behind = 9; behind > 4; behind--) emit({ kind: 'behind', at, behind });
    expect([said.stderr, wakes.length]).toEqual(['3 behind\n', 1]);
    clock.advance(1000);
    wakes.shift()?.();
    await Bun.sleep(0);
    expect(said.stderr).toBe('3 behind\n4 behind\n');
    behind = 0;
    end();
    expect(said.stderr).toBe('3 behind\n4 behind\n0 behind\n');
  });

  test('is one line at a terminal, which makes room for others', () => {
    const { say: emit, said, end } = open('lines', { behind: () => 2, isPaused: () => true }, { isTerminal: true });
    emit({ kind: 'notice', at, text: 'so' });
    end();
    const status = '\r\u001b[K2 behind, paused';
    expect(said.stderr).toBe(`\r\u001b[Kso\n${status}${status}\n`);
  });

  test('leaves the line of the prompt alone while it runs in the background', () => {
    const shown = { isForeground: false };
    const {
      say: emit,
      said,
      end,
    } = open('lines', { behind: () => 2 }, { isTerminal: true, isForeground: () => shown.isForeground });
    emit({ kind: 'notice', at, text: 'in the background' });
    expect(said.stderr).toBe('in the background\n2 behind\n');
    shown.isForeground = true;
    emit({ kind: 'notice', at, text: 'in the foreground' });
    end();
    const status = '\r\u001b[K2 behind';
    expect(said.stderr).toEndWith(`\r\u001b[Kin the foreground\n${status}${status}\n`);
  });
});
