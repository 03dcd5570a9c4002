/* One row per delivery, and the rows of an unfolded delivery. */

import { useState } from 'preact/hooks';
import type { Delivery } from '../../../features/deliveries/model.ts';
import { dayOf } from '../../kit/format/time.ts';
import { Icon } from '../../kit/icons.tsx';
import { Link } from '../../kit/navigation.tsx';
import { loadPreference, savePreference } from '../../kit/preferences.ts';
import { Time } from '../../kit/time.tsx';
import { useHotkeys } from '../../kit/use-hotkeys.ts';
import { formatGap } from '../event/answered.ts';
import type { LiveList } from '../live/live-list.ts';
import { RowEnd } from './row-end.tsx';
import { useDelivery } from './use-delivery.ts';

export type Folding = ReturnType<typeof useFolding>;

export function useFolding() {
  const [isFolded, setIsFolded] = useState(loadPreference('folded') !== 'no');
  const toggle = (): void => {
    savePreference('folded', isFolded ? 'no' : 'yes');
    setIsFolded(!isFolded);
  };
  useHotkeys({ d: { label: 'One row per delivery, or one per attempt', run: toggle } }, 'List');
  return { isFolded, toggle };
}

export type Unfolded = ReturnType<typeof useUnfolded>;

/** The delivery whose attempts are shown below its row: at most one. @param selectedKey of the selected event */
export function useUnfolded(list: LiveList, endpointId: string, selectedKey: string | undefined) {
  const [key, setKey] = useState<string>();
  const index = key === undefined ? -1 : list.indexOfDelivery(key);
  const row = list.at(index);
  const delivery = useDelivery(endpointId, row?.delivery);
  const toggle = (toggled: string): void => setKey(toggled === key ? undefined : toggled);
  useHotkeys({
    e: {
      label: 'Show or hide the attempts of the delivery',
      isOff: selectedKey === undefined,
      run: () => {
        if (selectedKey === undefined) return;
        const selected = list.at(list.indexOfDelivery(selectedKey));
        if (selected && selected.delivery.attempts > 1) toggle(selectedKey);
      },
    },
  });
  const others = delivery?.attempts.filter(({ id }) => id !== row?.id) ?? [];
  return {
    key,
    toggle,
    /** The rows below that of the newest attempt, newest first. */
    attempts: index < 0 ? [] : others.toReversed(),
    /** Where they begin: after the row at this place of the list. -1 when no delivery is unfolded. */
    index,
  };
}

export function rowAt(shown: number, { index, attempts }: Unfolded): { at: number } | { attempt: number } {
  if (index < 0 || shown <= index) return { at: shown };
  return shown <= index + attempts.length ? { attempt: shown - index - 1 } : { at: shown - attempts.length };
}

export const shownAt = (at: number, { index, attempts }: Unfolded): number =>
  index >= 0 && at > index ? at + attempts.length : at;

type UnfoldButtonProps = { isUnfolded: boolean; attempts: number; onToggle: () => void };

export const UnfoldButton = ({ isUnfolded, attempts, onToggle }: UnfoldButtonProps) => (
  <button
    type="button"
    class="unfold rigid soft"
    aria-expanded={isUnfolded}
    aria-label={`${attempts} attempts`}
    title={isUnfolded ? 'Hide the attempts (e)' : 'Show the attempts (e)'}
    onClick={onToggle}
  >
    <Icon name="chevron" />
  </button>
);

type AttemptRowProps = {
  attempt: Delivery['attempts'][number];
  /** When the newest attempt was received, whose day is shown above. */
  newestAt: number;
  top: string;
  href: string;
  isSelected: boolean;
};

export function AttemptRow({ attempt, newestAt, top, href, isSelected }: AttemptRowProps) {
  return (
    <li class={`event-row attempt-row ${isSelected ? 'selected' : ''}`} style={{ transform: top }}>
      <Link to={href} class="event-link grow" aria-current={isSelected ? 'true' : undefined} replace={isSelected}>
        <span class="line">
          <span class="type grow cut untyped">Attempt {attempt.delivery.attempt}</span>
          <Time at={attempt.receivedAt} isDayShown={dayOf(attempt.receivedAt) === dayOf(newestAt)} />
        </span>
        <span class="line small faint">
          <span class="preview grow cut highlights">
            {attempt.gapMs === null ? 'first attempt' : `${formatGap(attempt.gapMs)} after the previous one`}
          </span>
          <RowEnd event={attempt} attempts="none" />
        </span>
      </Link>
    </li>
  );
}
