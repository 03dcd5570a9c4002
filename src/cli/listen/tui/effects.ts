/* The context of key actions: the session, the screens, effects outside of the screen, and messages about their results. */
import type { ListenSession } from '../model.ts';
import type { Row } from './log.ts';
import type { Size } from './paint.ts';
import type { Screens } from './screen.ts';
import type { Style } from './text.ts';
import { selectedRow, type ViewState } from './ui.ts';

export type Effects = {
  /** Opens a body in the user's editor. @throws OperationError if there is no editor, or it fails */
  edit: (body: Uint8Array) => Promise<Uint8Array>;
  /** @returns false without a browser */
  openUrl: (url: string) => boolean;
  /** @returns false if the terminal may not support copying, and is not asked */
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

/** Runs slow work and shows the reason if it fails. */
export const attempt = (context: Context, work: () => Promise<void>): void =>
  void work().catch(error => say(context, (error as Error).message, 'warning'));

export const withRow = (context: Context, act: (row: Row) => void) => (): void => {
  const row = selectedRow(context.state);
  if (row) act(row);
  else say(context, 'No event yet.', 'faint');
};
