/* The keys of the list. The server is asked for events that are not loaded; arrow keys take the focus along. */

import { useRef } from 'preact/hooks';
import type { EventSummary } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import type { Run } from '../../kit/commands.ts';
import { navigate } from '../../kit/navigation.tsx';
import { showError, showToast } from '../../kit/toasts.tsx';
import { useHotkeys } from '../../kit/use-hotkeys.ts';
import type { LiveList } from '../live/live-list.ts';
import { findOlder, isOlder, type Place } from '../live/older-event.ts';
import {
  focusEvent,
  focusedRowId,
  focusList,
  focusRow,
  isFocusInEvent,
  isFocusInList,
  isListFocused,
  rowsPerPage,
} from './list-focus.ts';
import { isWide, type Selection } from './use-selection.ts';

const loadedAhead = 20;

type ListKeysOptions = {
  list: LiveList;
  selection: Selection;
  endpointId: string;
  eventId: string;
  where: string;
};

export function useListKeys(options: ListKeysOptions): void {
  const { list, selection, eventId } = options;
  const { move, moveTo } = useMoves(options);
  const jump = useJumps(options);
  const withList = (run: () => void) => (): boolean | undefined => (isListFocused() ? void run() : false);
  const last = (): number => list.state().length - 1;
  const moves = (label: string, run: Run) => ({ label, run, repeats: true, isKeyOnly: true });
  const goesTo = (label: string, run: Run) => ({ label, run, isKeyOnly: true });
  const toLast = 'Go to the last loaded event and load more';
  useHotkeys(
    {
      j: moves('Next event', () => move(1)),
      ArrowDown: moves(
        'Next event',
        withList(() => move(1, true)),
      ),
      k: moves('Previous event', () => move(-1)),
      ArrowUp: moves(
        'Previous event',
        withList(() => move(-1, true)),
      ),
      PageDown: moves(
        'One page down',
        withList(() => move(rowsPerPage(), true)),
      ),
      PageUp: moves(
        'One page up',
        withList(() => move(-rowsPerPage(), true)),
      ),
      g: { label: 'Newest event', run: () => moveTo(0) },
      Home: goesTo(
        'Newest event',
        withList(() => moveTo(0, true)),
      ),
      G: { label: toLast, run: () => moveTo(last()) },
      End: goesTo(
        toLast,
        withList(() => moveTo(last(), true)),
      ),
      n: { label: 'Next event with an invalid signature', run: () => jump(1) },
      N: { label: 'Previous event with an invalid signature', run: () => jump(-1) },
      Enter: {
        label: 'Open the event and focus it',
        isKeyOnly: true,
        // A link that has the focus opens its event itself.
        run: event => {
          const isOpen =
            eventId !== '' && list.at(selection.index)?.id === (focusedRowId() ?? list.at(selection.index)?.id);
          return isOpen && isListFocused() && !isControl(event.target) ? focusEvent() : false;
        },
      },
    },
    'List',
  );
}

/** Escape, after the keys that Escape has on the page: who reads an event goes back first, and keeps what is selected. @param listHref of the list without an open event */
export function useBackToList(eventId: string, listHref: string): void {
  useHotkeys(
    {
      Escape: {
        label: 'Back to the list',
        isKeyOnly: true,
        run: () => {
          if (!eventId) return false;
          if (!isWide()) {
            navigate(listHref);
            return focusRow(eventId);
          }
          return isFocusInEvent() ? focusList(eventId) : false;
        },
      },
    },
    'List',
  );
}

const isControl = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && /^(INPUT|BUTTON)$/.test(target.tagName);

function useMoves({ list, selection, endpointId, eventId, where }: ListKeysOptions) {
  const { index, place, select } = selection;
  const ask = useOneSearch(endpointId, where);
  /** @param isArrow in the list of a small screen, an arrow key moves the focus, and Enter opens */
  const moveTo = (next: number, isArrow = false): void => {
    const event = list.at(next);
    void list.loadTo(next + loadedAhead);
    if (!event) return;
    const withFocus = isArrow || isFocusInList();
    if (eventId !== '' || isWide() || !isArrow) select(event);
    if (withFocus) focusRow(event.id);
  };
  const moveBeyond = (than: Place): Promise<void> =>
    ask({ than, limit: 5 }, found => {
      if (found) select(found);
    });
  const move = (by: number, isArrow = false): void => {
    const focused = isArrow ? list.indexOf(focusedRowId() ?? '') : -1;
    const { length } = list.state();
    if (focused < 0 && index < 0 && place) {
      const older = firstOlder(list, place);
      if (older < length || by < 0) moveTo(Math.min(length - 1, Math.max(0, older + (by < 0 ? by : by - 1))), isArrow);
      else void moveBeyond(place);
      return;
    }
    const from = focused < 0 ? index : focused;
    const to = Math.max(0, from + by);
    moveTo(Math.abs(by) > 1 ? Math.min(to, length - 1) : to, isArrow);
  };
  return { move, moveTo };
}

type Asked = { than: Place; limit: number; term?: string; isOver?: () => boolean };

/** Asks the server for an older event, one question at a time. */
function useOneSearch(endpointId: string, where: string) {
  const isBusy = useRef(false);
  return async ({ limit, ...asked }: Asked, onFound: (found: EventSummary | undefined) => void): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      const fetchPage = (filter: string, cursor?: string) => api.events(endpointId, cursor, filter, { limit });
      const found = await findOlder({ where, ...asked, fetchPage });
      if (!asked.isOver?.()) onFound(found);
    } catch (error) {
      showError(error);
    }
    isBusy.current = false;
  };
}

/** The first row that is older than an event; the length of the list if no row is older. */
function firstOlder(list: LiveList, event: Place): number {
  let at = 0;
  for (let row = list.at(0); row && !isOlder(row, event); row = list.at(at)) at++;
  return at;
}

const isInvalid = (event: EventSummary | undefined): boolean => event?.signatureValid === false;

/** To the next (1) or the previous (-1) event with an invalid signature. */
function useJumps({ list, selection, endpointId, eventId, where }: ListKeysOptions) {
  const current = useRef(eventId);
  current.current = eventId;
  const ask = useOneSearch(endpointId, where);
  const open = (event: Place): void => {
    const withFocus = isFocusInList();
    selection.select(event);
    if (withFocus) focusRow(event.id);
  };
  const searchServer = (than: Place): Promise<void> =>
    ask({ than, limit: 25, term: 'verdict:invalid', isOver: () => current.current !== eventId }, found => {
      if (found) open(found);
      else showToast('No older event has an invalid signature.');
    });
  return (by: 1 | -1): void => {
    const { length, hasMore } = list.state();
    const { index, place } = selection;
    const start = index < 0 && place ? firstOlder(list, place) - (by > 0 ? 1 : 0) : index;
    let at = start + by;
    while (at >= 0 && at < length && !isInvalid(list.at(at))) at += by;
    const found = at >= 0 ? list.at(at) : undefined;
    const oldest = list.at(length - 1);
    const than = oldest && (!place || isOlder(oldest, place)) ? oldest : place;
    if (found) open(found);
    else if (by < 0) showToast('No newer event has an invalid signature.');
    else if (hasMore && than) void searchServer(than);
    else showToast('No older event has an invalid signature.');
  };
}
