/* Shows a session of `hooktape listen` on the terminal of this process, with the person's editor and browser. */
import { editBody } from '../../client/editor.ts';
import { openBrowser } from '../../client/open-browser.ts';
import { type Io, OperationError } from '../../io.ts';
import type { ListenSession } from '../model.ts';
import { createTerminalView, type Schedule, type TerminalView } from './view.ts';

/** Terminals that print unknown sequences, or may do so. */
const withoutClipboard = /^(?:linux|dumb|vt\d+|ansi|cons25|screen)/;

const schedule: Schedule = (run, ms) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** @throws OperationError when there is no terminal that can show it */
export async function showSession(io: Io, session: ListenSession): Promise<TerminalView> {
  const terminal = await io.fullScreen?.();
  if (!terminal) throw new OperationError('this terminal cannot show a full screen: use --output lines');
  return createTerminalView(session, terminal, {
    edit: body => editBody(io, body),
    openUrl: url => openBrowser(io, url),
    canCopy: !withoutClipboard.test(io.env['TERM'] ?? ''),
    clock: io.clock,
    schedule,
  });
}
