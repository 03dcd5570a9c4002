/* What keys work with: the session, the screens, what the view does outside of the screen, and how they say what came of it. */
import type { ListenSession } from '../model.ts';
import type { Row } from './log.ts';
import type { Size } from './paint.ts';
import type { Screens } from './screen.ts';
import type { Style } from './text.ts';
import { selectedRow, type ViewState } from './ui.ts';

export type Effects = {
  /** Lets the person change a body. @throws OperationError when there is no editor, or it fails */
  edit: (body: Uint8Array) => Promise<Uint8Array>;
  /** @returns false when there is no browser */
  openUrl: (url: string) => boolean;
  /** @returns false when the terminal is not asked to, because it might not understand */
  copy: (text: string) => boolean;
  quit: () => void;
  suspend: () => void;
  /** Draws the whole screen again. */
  refresh: () => void;
  /** Draws the changed lines. */
  update: () => void;
};

export type Context = {
  state: ViewState;
  session: ListenSession;
  screens: Screens;
  effects: Effects;
  size: () => Size;
  now: () => number;
};

export function say({ state, effects }: Context, text: string, style: Style = 'strong'): void {
  state.ui.message = { text, style };
  effects.update();
}

/** Runs something that takes time; when it fails, it says why. */
export const attempt = (context: Context, work: () => Promise<void>): void =>
  void work().catch(error => say(context, (error as Error).message, 'warning'));

export const withRow = (context: Context, act: (row: Row) => void) => (): void => {
  const row = selectedRow(context.state);
  if (row) act(row);
  else say(context, 'There is no event yet.', 'faint');
};
