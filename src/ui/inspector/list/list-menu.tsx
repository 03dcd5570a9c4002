/* The menu of the list: what can be done with the events that it shows, and how it looks. How it looks is kept. */

import { Menu, MenuActions } from '../../kit/menu.tsx';
import { createSwitch } from '../../kit/preferences.ts';
import { relativeTimes } from '../../kit/time.tsx';
import { useActions } from '../../kit/use-hotkeys.ts';
import { openJob } from '../replay/job-button.tsx';
import { openExport } from './export-dialog.tsx';
import type { Folding } from './folded-rows.tsx';

export const compactRows = createSwitch('compact-rows');

const rowHeights = { roomy: 56, compact: 36, compactTouch: 44 };

export function useRowHeight(): { rowHeight: number; isCompact: boolean } {
  const isCompact = compactRows.useValue();
  if (!isCompact) return { rowHeight: rowHeights.roomy, isCompact };
  const isTouch = matchMedia('(pointer: coarse)').matches;
  return { rowHeight: isTouch ? rowHeights.compactTouch : rowHeights.compact, isCompact };
}

export function ListMenu({ endpointId, where, folding }: { endpointId: string; where: string; folding: Folding }) {
  const isCompact = compactRows.useValue();
  const isRelative = relativeTimes.useValue();
  const events = { endpointId, where };
  const actions = [
    { label: where === '' ? 'Replay all events' : 'Replay all that match', run: () => void openJob(events) },
    { label: 'Export events', run: () => void openExport('Export events', events) },
  ];
  useActions([
    ...actions,
    { label: isCompact ? 'Roomy rows' : 'Compact rows', run: compactRows.toggle },
    { label: isRelative ? 'Clock times' : 'Relative times', run: relativeTimes.toggle },
  ]);
  return (
    <Menu icon="more" label="List menu">
      {close => (
        <>
          <MenuActions actions={actions} close={close} />
          <hr />
          <Toggle label="One row per delivery" keyName="d" isOn={folding.isFolded} onToggle={folding.toggle} />
          <Toggle label="Compact rows" isOn={isCompact} onToggle={compactRows.toggle} />
          <Toggle label="Relative times" isOn={isRelative} onToggle={relativeTimes.toggle} />
        </>
      )}
    </Menu>
  );
}

type ToggleProps = { label: string; keyName?: string; isOn: boolean; onToggle: () => void };

const Toggle = ({ label, keyName, isOn, onToggle }: ToggleProps) => (
  <label class="line">
    <input type="checkbox" checked={isOn} onChange={onToggle} />
    <span class="grow">{label}</span>
    {keyName && <kbd>{keyName}</kbd>}
  </label>
);
