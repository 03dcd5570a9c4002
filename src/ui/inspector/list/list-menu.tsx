/* How the list looks: one row per delivery, compact rows, relative times. Each choice is kept. */

import { Icon, type IconName } from '../../kit/icons.tsx';
import { createSwitch } from '../../kit/preferences.ts';
import { relativeTimes } from '../../kit/time.tsx';
import { useActions } from '../../kit/use-hotkeys.ts';
import { type Folding, FoldSwitch } from './folded-rows.tsx';

export const compactRows = createSwitch('compact-rows');

const rowHeights = { roomy: 56, compact: 36, compactTouch: 44 };

export function useRowHeight(): { rowHeight: number; isCompact: boolean } {
  const isCompact = compactRows.useValue();
  if (!isCompact) return { rowHeight: rowHeights.roomy, isCompact };
  const isTouch = matchMedia('(pointer: coarse)').matches;
  return { rowHeight: isTouch ? rowHeights.compactTouch : rowHeights.compact, isCompact };
}

export function ListOptions({ folding }: { folding: Folding }) {
  const isCompact = compactRows.useValue();
  const isRelative = relativeTimes.useValue();
  useActions([
    { label: isCompact ? 'Roomy rows' : 'Compact rows', run: compactRows.toggle },
    { label: isRelative ? 'Clock times' : 'Relative times', run: relativeTimes.toggle },
  ]);
  return (
    <div class="list-options line tight rigid">
      <FoldSwitch {...folding} />
      <Toggle icon="rows" label="Compact rows" isOn={isCompact} onToggle={compactRows.toggle} />
      <Toggle icon="clock" label="Relative times" isOn={isRelative} onToggle={relativeTimes.toggle} />
    </div>
  );
}

type ToggleProps = { icon: IconName; label: string; isOn: boolean; onToggle: () => void };

const Toggle = ({ icon, label, isOn, onToggle }: ToggleProps) => (
  <button type="button" class="icon-button" aria-pressed={isOn} aria-label={label} title={label} onClick={onToggle}>
    <Icon name={icon} />
  </button>
);
