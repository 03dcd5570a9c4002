/* The items of the command palette in their groups. The text field has the focus and the keyboard. */

import { useEffect, useRef } from 'preact/hooks';
import { MatchedLine } from '../find-in-body/matched-line.tsx';
import type { PaletteItem } from './items.ts';

type PaletteListProps = {
  /** The list is `{id}-list`, its options `{id}-0`, …. */
  id: string;
  items: readonly PaletteItem[];
  /** What was typed, as `searchTermsOf` reads it. */
  terms: readonly string[];
  /** -1 without one. */
  chosenIndex: number;
  onChoose: (item: PaletteItem) => void;
  /** The pointer moved onto an item. */
  onPoint: (index: number) => void;
};

export function PaletteList({ id, items, terms, chosenIndex, onChoose, onPoint }: PaletteListProps) {
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
