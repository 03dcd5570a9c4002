/* A combobox (ARIA 1.2) in a dialog. It closes before it reports what was chosen, so that the focus is where it was. */

import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../kit/format/time.ts';
import { Icon } from '../../kit/icons.tsx';
import { MatchedLine } from '../find-in-body/marked-text.tsx';
import { searchTermsOf } from '../find-in-body/search-terms.ts';
import type { PaletteItem } from './items.ts';

const maxTyped = 300;
const pageRows = 8;

type FinderProps = {
  title: string;
  label: string;
  text: string;
  onText: (text: string) => void;
  items: readonly PaletteItem[];
  /** What is going on, such as a search; empty when nothing is. */
  note: string;
  onChoose: (item: PaletteItem) => void;
  onClose: () => void;
};

export function Finder({ title, label, text, onText, items, note, onChoose, onClose }: FinderProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const previousFocus = useRef<Element | null>(null);
  const [active, setActive] = useState(0);

  useLayoutEffect(() => {
    previousFocus.current = document.activeElement;
    dialog.current?.showModal();
  }, []);
  // Before the next key, which an effect after the frame could undo.
  useLayoutEffect(() => setActive(0), [text]);
  const chosenIndex = Math.min(active, items.length - 1);
  const chosen = items[chosenIndex];
  const close = (): void => {
    dialog.current?.close();
    // Where nothing had the focus, the closed field would keep it for a moment, and take the next key.
    if (dialog.current?.contains(document.activeElement)) (document.activeElement as HTMLElement).blur();
  };
  const choose = (item: PaletteItem): void => {
    close();
    onChoose(item);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: pageRows, PageUp: -pageRows };
    const by = steps[event.key];
    // From the state and not what was drawn: keys may come faster than frames.
    if (by !== undefined) setActive(current => nextActive(current, items.length, by));
    else if (event.key === 'Enter') {
      if (chosen) choose(chosen);
    } else if (event.key === 'Escape') close();
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') close();
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the native dialog closes on Escape.
    <dialog
      ref={dialog}
      class="palette"
      aria-label={title}
      onClose={() => {
        onClose();
        if (previousFocus.current instanceof HTMLElement) previousFocus.current.focus();
      }}
      onClick={event => event.target === dialog.current && close()}
    >
      <div class="palette-box line loose rigid faint">
        <Icon name="search" />
        <input
          autofocus
          type="text"
          role="combobox"
          aria-label={label}
          aria-expanded={items.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={chosen && `${id}-${chosenIndex}`}
          placeholder={label}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={maxTyped}
          value={text}
          onInput={event => onText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      <PaletteList
        id={id}
        items={items}
        terms={searchTermsOf(text)}
        chosenIndex={chosenIndex}
        onChoose={choose}
        onPoint={setActive}
      />
      {(note || items.length === 0) && <p class="palette-note soft">{note || 'Nothing found.'}</p>}
      <p class="offscreen" role="status" aria-live="polite">
        {note || formatCount(items.length, 'result')}
      </p>
    </dialog>
  );
}

/** From the last to the first and back; a page stops at the ends. */
const nextActive = (active: number, count: number, by: number): number =>
  Math.abs(by) === 1 ? (active + by + count) % (count || 1) : Math.min(count - 1, Math.max(0, active + by));

type PaletteListProps = {
  /** The list is `{id}-list`, its options `{id}-0`, …. */
  id: string;
  items: readonly PaletteItem[];
  /** What was typed, as `searchTermsOf` reads it. */
  terms: readonly string[];
  chosenIndex: number;
  onChoose: (item: PaletteItem) => void;
  onPoint: (index: number) => void;
};

function PaletteList({ id, items, terms, chosenIndex, onChoose, onPoint }: PaletteListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosenIndex, items[chosenIndex]?.id]);
  const groups = [...new Set(items.map(({ group }) => group))];
  return (
    // The text field keeps the focus when the list is pressed or scrolled.
    <div
      ref={list}
      id={`${id}-list`}
      class="palette-list"
      role="listbox"
      aria-label="Results"
      tabIndex={-1}
      onPointerDown={event => event.preventDefault()}
    >
      {groups.map(group => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a listbox.
        <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
          <p id={`${id}-${group}`} class="palette-group faint small" role="presentation">
            {group}
          </p>
          {items.map(
            (item, index) =>
              item.group === group && (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keyboard.
                <div
                  key={item.id}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === chosenIndex}
                  tabIndex={-1}
                  onClick={() => onChoose(item)}
                  onPointerMove={() => index !== chosenIndex && onPoint(index)}
                >
                  <span class="cut grow">{item.label}</span>
                  {item.matched ? (
                    <MatchedLine match={item.matched} terms={terms} />
                  ) : (
                    item.detail && <span class="palette-detail cut soft small">{item.detail}</span>
                  )}
                  {item.keyLabel && <kbd>{item.keyLabel}</kbd>}
                </div>
              ),
          )}
        </div>
      ))}
    </div>
  );
}
