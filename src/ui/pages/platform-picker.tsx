/* Chooses a platform: a search field above a list of radio buttons, which the arrow keys move through. */

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { PlatformGuide } from '../../features/test-events/model.ts';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { api } from '../kit/api.ts';
import { Field } from '../kit/controls.tsx';
import { type Query, useQuery } from '../kit/use-query.ts';

type PlatformPickerProps = {
  platforms: readonly PlatformGuide[];
  selected: PlatformGuide | undefined;
  onSelect: (platform: PlatformGuide) => void;
};

export function PlatformPicker({ platforms, selected, onSelect }: PlatformPickerProps) {
  const [text, setText] = useState('');
  const name = useId();
  const list = useRef<HTMLDivElement>(null);
  const found = platforms.filter(one => isFound(one, text));
  useEffect(() => {
    // With a list of its own: a scroll into view would also move the page.
    const checked = list.current?.querySelector<HTMLInputElement>('input:checked')?.parentElement;
    if (list.current && checked) list.current.scrollTop = checked.offsetTop - list.current.clientHeight / 2;
  }, []);
  const search = (next: string): void => {
    setText(next);
    const [first] = platforms.filter(one => isFound(one, next));
    if (first && !(selected && isFound(selected, next))) onSelect(first);
  };
  return (
    <div class="col">
      <Field
        label="Platform"
        type="search"
        placeholder="Search"
        autocomplete="off"
        value={text}
        onText={search}
        autoFocus
      />
      <div class="platform-list box anchor" role="radiogroup" aria-label="Platforms" ref={list}>
        {found.map(one => (
          <label key={one.name} class="option anchor breaks">
            <input
              type="radio"
              class="offscreen"
              name={name}
              checked={one.name === selected?.name}
              onChange={() => onSelect(one)}
            />
            <PlatformMark platform={one.name} />
            <span>{one.title}</span>
          </label>
        ))}
        {found.length === 0 && <p class="faint">No platform has this name.</p>}
      </div>
    </div>
  );
}

const isFound = ({ name, title }: PlatformGuide, text: string): boolean => {
  const wanted = text.trim().toLowerCase();
  return title.toLowerCase().includes(wanted) || name.includes(wanted);
};

let known: PlatformGuide[] | undefined;

export function usePlatforms(): Query<PlatformGuide[]> {
  const query = useQuery('platforms', () => (known ? Promise.resolve(known) : api.platforms()));
  useEffect(() => {
    known = query.value ?? known;
  }, [query.value]);
  return known && !query.value ? { ...query, value: known } : query;
}
