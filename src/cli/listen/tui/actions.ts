/* The actions of keys on the selected event. Slow actions end with a message, even if they fail, and never block the view. */
import { wholeBody } from '../../client/edit-options.ts';
import { statusText, type TargetResponse } from '../model.ts';
import { attempt, type Context, say, withRow } from './effects.ts';
import { durationText } from './format.ts';
import type { Row } from './log.ts';
import { openPage } from './navigation.ts';

/** `200 in 12 ms`, `no response: connection refused` */
const answerText = (answer: TargetResponse, target: string): string => {
  const status = statusText(answer, target);
  return answer.status === null && answer.error
    ? `${status}: ${answer.error}`
    : `${status} in ${durationText(answer.ms)}`;
};

/** The responses of all targets. */
const answersText = (answers: readonly TargetResponse[], row: Row): string => {
  const targets = [...row.targets.keys()];
  return answers.map((answer, at) => answerText(answer, targets[at] ?? '')).join(', ');
};

/** The actions by their keys. */
export function createActions(context: Context): Record<'r' | 'e' | 'd' | 'p' | 's' | 'o' | 'c', () => void> {
  const { state, session, effects } = context;

  const send = (row: Row, verb: string, deliver: () => Promise<TargetResponse[]>): void =>
    attempt(context, async () => {
      say(context, `${verb}…`);
      const answers = await deliver();
      const isOk = answers.every(answer => answer.isOk);
      if (answers.length === 0) say(context, 'No target is configured for this event.', 'warning');
      else if (isOk) say(context, `${verb}: ${answersText(answers, row)}`, 'good');
      else {
        const text = answersText(answers, row);
        // The hint belongs to this response: the session emits the event before it returns.
        say(context, row.hint ? `${text}; ${row.hint}` : `${verb}: ${text}`, 'warning');
      }
    });
  const withTarget = (act: (row: Row) => void): (() => void) =>
    withRow(context, row => {
      if (session.targets.length > 0) act(row);
      else say(context, 'No target. Start with --to URL.', 'warning');
    });

  return {
    r: withTarget(row => send(row, 'Sent again', () => session.again(row.event.id))),
    e: withTarget(row => {
      if (row.isEmptied) {
        say(context, 'Its body is no longer in memory: use hooktape send --edit.', 'warning');
        return;
      }
      attempt(context, async () => {
        const { id, body } = row.event;
        const edited = await effects.edit(body);
        if (Buffer.compare(edited, body) === 0) {
          say(context, 'Nothing was changed, so nothing was sent.');
          return;
        }
        send(row, 'Sent as edited', () => session.sendEdited(id, wholeBody(edited)));
      });
    }),
    d: withRow(context, row => {
      const { length } = row.attempts;
      if (length > 1) {
        state.ui.comparedNumber = undefined;
        openPage(state.ui, 'comparison');
      } else
        say(
          context,
          length === 1
            ? 'Only one response so far. Press r to send it again, then compare.'
            : 'No responses to compare yet.',
          'faint',
        );
    }),
    p: withRow(context, row =>
      attempt(context, async () => {
        await session.pin(row.event.id);
        state.log.markPinned(row.event.id);
        say(context, `Pinned. To undo: hooktape unpin ${row.event.id}`, 'good');
      }),
    ),
    s: withRow(context, row => {
      if (session.skip(row.event.id)) say(context, 'Skipped. Later events continue.');
      else say(context, 'Nothing to skip: no target is waiting for this event.', 'faint');
    }),
    o: withRow(context, row => {
      const url = session.openUrl(row.event.id);
      say(context, effects.openUrl(url) ? `Opened ${url}` : `Open it in a browser: ${url}`);
    }),
    c: withRow(context, row => {
      const text = session.command(row.event.id);
      state.ui.command = { text, isCopied: effects.copy(text) };
      openPage(state.ui, 'command');
    }),
  };
}
