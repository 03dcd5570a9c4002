/* The terminal view: draws after messages and keys, about thirty times a second at most, and restores the terminal. */
import type { Clock } from '../../../core/clock.ts';
import { editBody } from '../../client/editor.ts';
import { openBrowser } from '../../client/open-browser.ts';
import { type Io, OperationError } from '../../io.ts';
import type { ListenEvent, ListenSession } from '../model.ts';
import type { Effects } from './effects.ts';
import { createKeyHandler } from './key-handler.ts';
import { createKeyReader } from './keys.ts';
import { createEventLog } from './log.ts';
import { createPainter, type Size } from './paint.ts';
import { contentRows, createScreens } from './screen.ts';
import type { FullScreen } from './terminal.ts';
import { createUi, selectedRow, type Ui, type ViewState } from './ui.ts';

export type TerminalView = {
  /** Resolves when the user has ended the view; rejects if the view or the end of the session fails. */
  done: Promise<void>;
  /** Gives the terminal back, without ending the session. */
  close: () => void;
};

/** @returns a function that cancels it */
export type Schedule = (run: () => void, ms: number) => () => void;

export type ViewOptions = Pick<Effects, 'edit' | 'openUrl'> & {
  /** Whether the terminal understands OSC 52, or ignores it. */
  canCopy: boolean;
  clock: Pick<Clock, 'now'>;
  schedule: Schedule;
};

const frameMs = 33;
const countdownMs = 1000;
/** The most characters for the clipboard of a terminal. Longer text is not copied. */
const maxCopiedCharacters = 8192;

/** Allows only characters that are equal in every encoding, so that the pasted text equals the shown text. */
const isCopyable = (text: string): boolean => /^[ -~]+$/.test(text) && text.length <= maxCopiedCharacters;

const copySequence = (text: string): string => `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`;

/** Applies the session's messages about itself. */
function applyToUi(ui: Ui, event: ListenEvent): void {
  if (event.kind === 'connected') {
    ui.connection = { kind: 'connected', server: event.server, endpoints: event.endpoints };
    ui.endpoints = event.endpoints;
  } else if (event.kind === 'disconnected') {
    ui.connection = { kind: 'disconnected', server: event.server, reason: event.reason };
  } else if (event.kind === 'behind') ui.behind = event.behind;
  else if (event.kind === 'notice') ui.message = { text: event.text, style: 'warning' };
}

/** Moves the list so that the selected row is on the screen, and fills the screen while there are rows for it. */
function settleList({ ui, log }: ViewState, size: Size): void {
  const visibleRows = Math.max(1, contentRows(size) - 1);
  const rows = log.rows();
  const selected = selectedRow({ ui, log });
  const at = Math.max(0, selected ? rows.indexOf(selected) : 0);
  const top = Math.min(Math.max(ui.listTop, at - visibleRows + 1), at);
  ui.listTop = Math.max(0, Math.min(top, rows.length - visibleRows));
}

export function createTerminalView(
  session: ListenSession,
  terminal: FullScreen,
  { edit, openUrl, canCopy, clock, schedule }: ViewOptions,
): TerminalView {
  const state: ViewState = { log: createEventLog(), ui: createUi(session), targets: session.targets };
  const { ui, log } = state;
  const screens = createScreens();
  const painter = createPainter(terminal);
  const ended = Promise.withResolvers<void>();
  const cancels = new Map<'frame' | 'countdown', () => void>();
  const size = (): Size => ({ columns: terminal.columns, rows: terminal.rows });
  const endings: (() => void)[] = [];
  let isClosed = false;

  /** One timer of each kind at a time. */
  const later = (what: 'frame' | 'countdown', ms: number, run: () => void): void => {
    if (isClosed || cancels.has(what)) return;
    const cancel = schedule(() => {
      cancels.delete(what);
      guarded(run);
    }, ms);
    cancels.set(what, cancel);
  };
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    for (const end of [...endings, ...cancels.values()]) end();
    terminal.close();
  };
  const fail = (error: unknown): void => {
    close();
    ended.reject(error);
  };
  /** Restores the terminal if `run` throws. */
  const guarded = (run: () => void): void => {
    try {
      run();
    } catch (error) {
      fail(error);
    }
  };

  const draw = (): void => {
    if (isClosed) return;
    const now = clock.now();
    settleList(state, size());
    const { lines, cursor } = screens.draw(state, size(), now);
    painter.paint(lines, size(), cursor);
    if (log.hasRetries()) later('countdown', countdownMs, draw);
  };
  const update = (): void => later('frame', frameMs, draw);
  const refresh = (): void => {
    painter.forget();
    draw();
  };

  const finish = (): void => {
    close();
    ended.resolve();
  };
  const effects: Effects = {
    edit: async body => {
      const takeBack = terminal.lend();
      try {
        return await edit(body);
      } finally {
        takeBack();
        if (!isClosed) guarded(refresh);
      }
    },
    openUrl,
    copy: text => {
      if (!canCopy || !isCopyable(text)) return false;
      terminal.write(copySequence(text));
      return true;
    },
    quit: () => {
      if (ui.isEnding) return finish();
      ui.isEnding = true;
      ui.message = {
        text: 'Finishing running deliveries. Press q again to quit now.',
        style: 'warning',
      };
      session.stop().then(finish, fail);
    },
    suspend: terminal.suspend,
    refresh,
    update,
  };
  const handleKey = createKeyHandler({ state, session, screens, effects, size, now: () => clock.now() });
  const read = createKeyReader(key =>
    guarded(() => {
      if (isClosed) return;
      handleKey(key);
      update();
    }),
  );

  endings.push(
    terminal.onInput(bytes => {
      read(bytes);
      guarded(draw);
    }),
    terminal.onResize(() => guarded(refresh)),
    session.subscribe(event =>
      guarded(() => {
        applyToUi(ui, event);
        log.apply(event);
        update();
      }),
    ),
  );
  guarded(refresh);
  return { done: ended.promise, close };
}

/** Terminals that print unknown sequences, or may do so. */
const withoutClipboard = /^(?:linux|dumb|vt\d+|ansi|cons25|screen)/;

/** Shows a session on this terminal, with the user's editor and browser. @throws OperationError without a terminal */
export async function showSession(io: Io, session: ListenSession): Promise<TerminalView> {
  const terminal = await io.fullScreen?.();
  if (!terminal) throw new OperationError('this terminal cannot show a full screen: use --output lines');
  return createTerminalView(session, terminal, {
    edit: body => editBody(io, body),
    openUrl: url => openBrowser(io, url),
    canCopy: !withoutClipboard.test(io.env['TERM'] ?? ''),
    clock: io.clock,
    schedule: (run, ms) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  });
}
