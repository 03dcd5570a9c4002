/* The state of the view apart from the events: the position of the user, and messages about the session. */
import type { ListenSession } from '../model.ts';
import type { EventLog, Row } from './log.ts';
import type { Prompt } from './prompt.ts';
import type { Style } from './text.ts';

export type Connection =
  | { kind: 'connecting' }
  | { kind: 'connected'; server: string; endpoints: readonly string[] }
  | { kind: 'disconnected'; server: string; reason: string };

/** `comparison`: of two responses; `command`: the command that sends the selected event. */
export type Mode = 'list' | 'detail' | 'comparison' | 'command' | 'help';

export type Ui = {
  mode: Mode;
  /** The mode from which `help`, `command` or `comparison` was opened. */
  from: 'list' | 'detail';
  selectedId: string | undefined;
  /** Whether the selection follows the newest event. */
  isFollowing: boolean;
  listTop: number;
  /** The first shown line of the content beside the list. */
  scroll: number;
  /** The number of the later of the two compared responses; undefined for the newest. */
  comparedNumber: number | undefined;
  prompt: { value: Prompt; problem: { message: string; position: number } | undefined } | undefined;
  /** The text that `command` shows. */
  command: { text: string; isCopied: boolean };
  /** The filter as typed; empty for all events. */
  filter: string;
  /** A message that replaces the hints until the next key. */
  message: { text: string; style: Style } | undefined;
  connection: Connection;
  /** The names of the endpoints, which stay known while there is no connection. */
  endpoints: readonly string[];
  behind: number;
  isPaused: boolean;
  /** Whether the session is ending; the view then shows a message. */
  isEnding: boolean;
};

export type ViewState = {
  readonly log: EventLog;
  readonly ui: Ui;
  readonly targets: ListenSession['targets'];
};

export const createUi = (session: Pick<ListenSession, 'behind' | 'isPaused'>): Ui => ({
  mode: 'list',
  from: 'list',
  selectedId: undefined,
  isFollowing: true,
  listTop: 0,
  scroll: 0,
  comparedNumber: undefined,
  prompt: undefined,
  command: { text: '', isCopied: false },
  filter: '',
  message: undefined,
  connection: { kind: 'connecting' },
  endpoints: [],
  behind: session.behind(),
  isPaused: session.isPaused(),
  isEnding: false,
});

/** The selected row; the newest while the list follows new events, or if the selected row no longer exists. */
export function selectedRow({ log, ui }: Pick<ViewState, 'log' | 'ui'>): Row | undefined {
  const found = ui.isFollowing || ui.selectedId === undefined ? undefined : log.find(ui.selectedId);
  return found ?? log.rows().at(-1);
}

/** @param by the number of rows to move */
export function select({ log, ui }: ViewState, by: number): void {
  const rows = log.rows();
  const selected = selectedRow({ log, ui });
  const at = selected ? rows.indexOf(selected) : -1;
  const next = Math.min(Math.max(0, (at < 0 ? rows.length - 1 : at) + by), rows.length - 1);
  ui.isFollowing = next >= rows.length - 1;
  ui.selectedId = rows[next]?.event.id;
}

/** The two compared responses: the one with the chosen number, and the previous one. */
export function comparedAttempts({ log, ui }: ViewState) {
  const attempts = selectedRow({ log, ui })?.attempts ?? [];
  const at = attempts.findIndex(({ number }) => number === ui.comparedNumber);
  const later = at < 1 ? attempts.length - 1 : at;
  const [before, after] = [attempts[later - 1], attempts[later]];
  return before && after ? { before, after } : undefined;
}
