/* The replay dialog, sending again, and reading verdicts again. Panels use it through `EventActionsContext`. */

import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { EventDetail, ReplayAttempt } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import { showError, showToast } from '../../kit/toasts.tsx';
import { useHotkeys } from '../../kit/use-hotkeys.ts';
import { labelOf } from '../bulk/matching.ts';
import { ReplayAll } from '../bulk/replay-all.tsx';
import type { EventActions } from '../event/event-actions.ts';
import type { AllPicked } from '../list/use-picks.ts';
import type { LiveList } from '../live/live-list.ts';
import { explainRefusal } from './refusal.ts';
import { ReplayDialog } from './replay-dialog.tsx';
import { lastRequest, type ReplayRequest, urlOf } from './request.ts';
import { resultLine } from './status-text.ts';

/** Rows beyond these get their new verdict when they are loaded again. */
const maxRecheckedPages = 3;

type Options = {
  endpointId: string;
  where: string;
  list: LiveList;
  selected: { event: EventDetail | undefined; reload: () => void };
  onSent: (id: string) => void;
};

/** What the dialog replays: these events, oldest first, or all that match. */
export type Replayed = { ids: readonly string[]; url?: string | undefined } | { all: AllPicked };

export function useReplays({ endpointId, where, list, selected, onSent }: Options) {
  const [opened, setOpened] = useState<Replayed>();
  const { event } = selected;
  const openReplay = (url?: string): void => setOpened(event && { ids: [event.id], url });

  const sendAgain = async (attempt: ReplayAttempt | undefined = newestOf(event)): Promise<void> => {
    if (!event) return;
    const request = repeatOf(event, attempt);
    // What was edited or signed with a typed secret is not kept.
    if (!request) return openReplay(attempt?.via === 'listen' ? undefined : attempt?.destination);
    try {
      const result = await api.replay(event.id, request);
      showToast(`Sent again: ${resultLine(result)}.`);
    } catch (error) {
      const { text, setting } = explainRefusal(error, urlOf(request));
      showError([text, setting].filter(Boolean).join(' '));
    }
    onSent(event.id);
  };

  const recheck = async (): Promise<void> => {
    selected.reload();
    await recheckRows({ endpointId, where, list, selected });
  };

  useHotkeys({
    R: { label: 'Send the last replay again', section: 'Event', isOff: !event, run: () => void sendAgain() },
  });

  const given = { onSent, onClose: () => setOpened(undefined) };
  const labelOfId = (id: string): string => {
    const known = list.at(list.indexOf(id)) ?? event;
    return known ? labelOf(known) : 'Event';
  };
  const dialog: ComponentChild =
    opened &&
    ('all' in opened ? (
      <ReplayAll all={opened.all} list={list} {...given} />
    ) : (
      <ReplayDialog
        endpointId={endpointId}
        events={opened.ids.map(id => ({ id, label: labelOfId(id) }))}
        initialUrl={opened.url}
        {...given}
      />
    ));
  const actions: EventActions = { recheck, openReplay, sendAgain };
  return { actions, dialog, open: (replayed: Replayed): void => setOpened(replayed) };
}

/** Not what a forward has sent by itself. */
const newestOf = (event: EventDetail | undefined): ReplayAttempt | undefined =>
  event?.replays.find(({ via }) => via !== 'forward');

/** The request that repeats an attempt: remembered by this page or derived from the attempt; undefined if neither is possible. */
function repeatOf(event: EventDetail, attempt: ReplayAttempt | undefined): ReplayRequest | undefined {
  const remembered = lastRequest(event.id);
  if (remembered && attempt === newestOf(event)) return remembered;
  // Where another machine sent it says nothing to the server.
  if (!attempt || attempt.edited || attempt.signed || attempt.via === 'listen') return undefined;
  return { url: attempt.destination, appendPath: false };
}

/** Rows keep their place: only what they show of the events changes. */
async function recheckRows(options: Omit<Options, 'onSent'>): Promise<void> {
  const { endpointId, where, list, selected } = options;
  try {
    let cursor: string | undefined;
    for (let page = 0; page < maxRecheckedPages; page++) {
      const { events, nextCursor } = await api.events(endpointId, cursor, where);
      for (const one of events) if (list.indexOf(one.id) >= 0) list.change(one);
      if (nextCursor === null || events.length === 0) break;
      cursor = nextCursor;
    }
    // The open event may be further down.
    if (selected.event && list.indexOf(selected.event.id) >= 0) {
      const { id, signatureValid, signature } = await api.event(selected.event.id);
      list.change({ id, signatureValid, verdict: signature?.verdict ?? 'none' });
    }
  } catch (error) {
    showError(error);
  }
}
