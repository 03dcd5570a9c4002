/* The parts of the present filter, each of which can be removed. A group in parentheses, or with OR, is one part. */

import { useMemo, useRef } from 'preact/hooks';
import { cut, visibleLine } from '../../kit/format/visible.ts';
import { Icon } from '../../kit/icons.tsx';
import { partsOf, withoutPart } from './filter-text.ts';
import { describeTime } from './time-range.ts';

const maxShownCharacters = 120;

type FilterChipsProps = { where: string; onFilter: (where: string) => void; onEmpty: () => void };

export function FilterChips({ where, onFilter, onEmpty }: FilterChipsProps) {
  const list = useRef<HTMLUListElement>(null);
  const parts = useMemo(() => partsOf(where), [where]);
  if (parts.length === 0) return null;
  const remove = (index: number): void => {
    // The focus stays among the chips, and goes back to the box after the last one.
    const buttons = list.current?.querySelectorAll<HTMLButtonElement>('.chip button');
    const next = buttons?.[index + 1] ?? buttons?.[index - 1];
    if (next) next.focus();
    else onEmpty();
    onFilter(withoutPart(where, index));
  };
  return (
    <ul class="chips row tight rigid" aria-label="Parts of the filter" ref={list}>
      {parts.map((part, index) => (
        // The others stay the same elements when one is removed, so that the focus stays.
        <li key={`${part} ${parts.slice(0, index).filter(one => one === part).length}`} class="chip">
          <ChipText text={part} />
          <button
            type="button"
            class="mini soft"
            aria-label={`Remove ${describeTime(part, Date.now()) ?? visibleLine(part.slice(0, maxShownCharacters))}`}
            title="Remove"
            onClick={() => remove(index)}
            onKeyDown={event => {
              if (event.key === 'Delete' || event.key === 'Backspace') remove(index);
            }}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function ChipText({ text }: { text: string }) {
  const time = describeTime(text, Date.now());
  const shown = visibleLine(cut(text, maxShownCharacters));
  const [, field = '', value = shown] = time ? ['', '', time] : (/^([^\s"()]+?(?::|[<>]=?))(.+)$/.exec(shown) ?? []);
  return (
    <span class={`chip-text cut ${time ? 'words' : ''}`} title={visibleLine(text)}>
      {field && <span class="chip-field">{field}</span>}
      {value}
    </span>
  );
}
