/* What the panels of an open event can ask of the page around them. */

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ReplayAttempt } from '../../../features/events/model.ts';

export type EventActions = {
  /** Reads the verdicts of the open event and of the rows again: a secret was added or removed. */
  recheck: () => Promise<void>;
  /** Opens the replay dialog for the open event. @param url the destination to start with */
  openReplay: (url?: string) => void;
  /** Sends the open event again as before. @param attempt the one to repeat; the newest by default */
  sendAgain: (attempt?: ReplayAttempt) => Promise<void>;
  /** Asks for a rule that redacts a field of the open event, as a filter writes it. Undefined where events have no rules. */
  redact?: (field: string) => void;
};

const none: EventActions = { recheck: async () => {}, openReplay: () => {}, sendAgain: async () => {} };

export const EventActionsContext = createContext(none);

export const useEventActions = (): EventActions => useContext(EventActionsContext);
