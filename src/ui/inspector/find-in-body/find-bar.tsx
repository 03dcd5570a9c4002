/* Finds text in the open event: a bar above its panel. Without a text of its own it shows the hits of the list's filter. */

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../../kit/controls.tsx';
import { Icon } from '../../kit/icons.tsx';
import { isMac } from '../../kit/key-label.ts';
import { usePageLocation } from '../../kit/navigation.tsx';
import { useHotkeys } from '../../kit/use-hotkeys.ts';
import { filterOf } from '../filter/filter-url.ts';
import { useInspectorState } from '../state/inspector-state.ts';
import { maxFindCharacters } from '../state/inspector-url.ts';
import { FinderContext, OpenFindContext, useFinderState, useNewFinder } from './find-context.tsx';
import type { Found } from './finder.ts';
import { searchTermsOf } from './search-terms.ts';

const saveAfterMs = 300;
const nothing: readonly string[] = [];
let dismissed = '';

type FindableProps = {
  canFind: boolean;
  isLoading: boolean;
  children: ComponentChildren;
};

export function Findable({ canFind, isLoading, children }: FindableProps) {
  const finder = useNewFinder();
  useFinderState(finder);
  const { find, set } = useInspectorState();
  const where = filterOf(usePageLocation().query);
  const [text, setText] = useState(find);
  const [isOpen, setIsOpen] = useState(find !== '');
  const [dismissedHere, setDismissedHere] = useState(dismissed);
  const input = useRef<HTMLInputElement>(null);
  const before = useRef<Element | null>(null);
  /** What is typed next belongs into the bar, which is about to appear. */
  const wantsFocus = useRef(false);
  useLayoutEffect(() => {
    if (!wantsFocus.current || !input.current) return;
    wantsFocus.current = false;
    input.current.select();
  });

  const carried = dismissedHere === where ? nothing : searchTermsOf(where);
  const [own, setOwn] = useState<readonly string[]>(find === '' ? nothing : [find]);
  const terms = isOpen && own.length > 0 ? own : carried;
  useEffect(() => finder.setTerms(terms), [finder, terms]);
  useEffect(() => {
    const wanted = isOpen ? text : '';
    if (wanted === find) return;
    const timer = setTimeout(() => set({ find: wanted }), saveAfterMs);
    return () => clearTimeout(timer);
  }, [text, isOpen, find, set]);

  const found = finder.found();
  const isShown = canFind && (isOpen || (carried.length > 0 && found.count > 0));
  const type = (next: string): void => {
    setText(next);
    setOwn(next === '' ? nothing : [next]);
  };
  const open = (): boolean => {
    // A second Ctrl+F goes to the browser's own search.
    if (document.activeElement === input.current && input.current) return false;
    before.current = document.activeElement;
    const selected = canFind ? selectedText() : '';
    if (selected !== '') type(selected);
    if (!canFind) set({ tab: 'body' });
    setIsOpen(true);
    wantsFocus.current = true;
    input.current?.select();
    return true;
  };
  const close = (): boolean => {
    if (!isShown) return false;
    dismissed = where;
    setDismissedHere(where);
    setIsOpen(false);
    set({ find: '' });
    const target = before.current;
    if (target instanceof HTMLElement && target !== document.body && target.isConnected) target.focus();
    else focusPanel();
    return true;
  };
  const step = (by: 1 | -1) => (isShown ? finder.step(by) : false);
  useFindKeys({ open, close, step, isOn: isShown });

  return (
    <FinderContext.Provider value={canFind ? finder : undefined}>
      <OpenFindContext.Provider value={open}>
        {isShown && (
          <search class="find-bar line tight rigid" aria-label="Find in this event">
            <Icon name="search" />
            <input
              ref={input}
              type="text"
              value={isOpen ? text : ''}
              maxLength={maxFindCharacters}
              aria-label="Find in this event"
              placeholder={carried.length > 0 ? `From the list: ${carried.join(', ')}` : 'Find in this event'}
              spellcheck={false}
              autocomplete="off"
              onFocus={() => setIsOpen(true)}
              onInput={event => type(event.currentTarget.value)}
              onKeyDown={event => {
                if (event.key === 'Enter') finder.step(event.shiftKey ? -1 : 1);
                else if (event.key === 'F3') finder.step(event.shiftKey ? -1 : 1);
                else if (event.key === 'Escape') close();
                else return;
                event.preventDefault();
                event.stopPropagation();
              }}
            />
            <span class="find-count rigid soft figures" role="status">
              {terms.length > 0 && !isLoading && countText(found)}
            </span>
            <IconButton
              icon="up"
              label="Previous hit (Shift+Enter)"
              disabled={found.count === 0}
              onClick={() => step(-1)}
            />
            <IconButton icon="chevron" label="Next hit (Enter)" disabled={found.count === 0} onClick={() => step(1)} />
            <IconButton icon="close" label="Close (Escape)" onClick={close} />
          </search>
        )}
        {children}
      </OpenFindContext.Provider>
    </FinderContext.Provider>
  );
}

type FindKeys = { open: () => boolean; close: () => boolean; step: (by: 1 | -1) => unknown; isOn: boolean };

function useFindKeys({ open, close, step, isOn }: FindKeys): void {
  useHotkeys({
    f: { label: 'Find in this event', run: open },
    'Mod+f': { label: 'Find in this event', run: open, isKeyOnly: true },
    'Mod+g': { label: 'Next hit', run: () => step(1), isOff: !isOn, repeats: true },
    F3: {
      label: 'Next hit',
      run: event => step(event.shiftKey ? -1 : 1),
      isOff: !isOn,
      isKeyOnly: true,
      repeats: true,
    },
    Escape: close,
  });
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent): void => {
      const mod = isMac ? event.metaKey : event.ctrlKey;
      if (!mod || !event.shiftKey || event.key.toLowerCase() !== 'g') return;
      event.preventDefault();
      step(-1);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

/** `3 of 17`. */
function countText({ count, position, isDone, isCapped }: Found): string {
  if (count === 0) return isDone ? 'No hits' : 'Searching…';
  return `${position.toLocaleString()} of ${count.toLocaleString()}${isCapped ? '+' : isDone ? '' : '…'}`;
}

/** What is selected on the page, if it is something to search for. */
function selectedText(): string {
  const selection = getSelection();
  const panel = document.getElementById('event-panel');
  const text = selection?.toString() ?? '';
  const isInside = selection?.anchorNode && panel?.contains(selection.anchorNode);
  return isInside && text.length <= maxFindCharacters && !/[\r\n]/.test(text) ? text.trim() : '';
}

const focusPanel = (): void =>
  document.querySelector<HTMLElement>('#event-panel :is([role=tree], .text-view, .hex, .scroll-pane)')?.focus();
