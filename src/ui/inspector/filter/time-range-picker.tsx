/* The time range of the filter: presets, and a start and an end in local time. It writes `received` terms into the filter's text. */

import { useState } from 'preact/hooks';
import { Button, Field } from '../../kit/controls.tsx';
import { Icon } from '../../kit/icons.tsx';
import { usePopup } from '../../kit/use-popup.ts';
import { describeRange, localRangeOf, rangeProblem, rangeTerms, timePresets, zoneName } from './time-range.ts';

type TimeRangePickerProps = {
  /** The `received` terms of the present filter. */
  terms: string[];
  onPick: (terms: string[]) => void;
};

export function TimeRangePicker({ terms, onPick }: TimeRangePickerProps) {
  const { isOpen, setIsOpen, frame } = usePopup<HTMLDivElement>();
  const pick = (next: string[]): void => {
    setIsOpen(false);
    frame.current?.querySelector('button')?.focus();
    onPick(next);
  };
  const description = describeRange(terms);
  return (
    <div class="time-range rigid" ref={frame}>
      <button
        type="button"
        class={`icon-button ${terms.length > 0 ? 'set' : ''}`}
        aria-expanded={isOpen}
        aria-label={`Time range: ${description}`}
        title={`Time range: ${description}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="clock" />
      </button>
      {isOpen && (
        <fieldset class="popup time-panel" aria-label="Time range">
          <Presets terms={terms} onPick={pick} />
          <CustomRange terms={terms} onPick={pick} />
        </fieldset>
      )}
    </div>
  );
}

const Presets = ({ terms, onPick }: TimeRangePickerProps) => (
  <ul>
    {[{ label: 'Any time', term: '' }, ...timePresets].map(({ label, term }) => {
      const isCurrent = terms.join(' ') === term;
      return (
        <li key={term}>
          <button type="button" aria-pressed={isCurrent} onClick={() => onPick(term ? [term] : [])}>
            <span>{label}</span>
            {isCurrent && <Icon name="check" />}
          </button>
        </li>
      );
    })}
  </ul>
);

function CustomRange({ terms, onPick }: TimeRangePickerProps) {
  const [range, setRange] = useState(() => localRangeOf(terms));
  const [problem, setProblem] = useState('');
  const apply = (event: Event): void => {
    event.preventDefault();
    const found = rangeProblem(range);
    setProblem(found ?? '');
    if (found === undefined) onPick(rangeTerms(range));
  };
  return (
    <form onSubmit={apply} noValidate>
      <Field
        label="From"
        type="datetime-local"
        value={range.from}
        onText={from => setRange(old => ({ ...old, from }))}
      />
      <Field
        label="To"
        type="datetime-local"
        value={range.to}
        problem={problem}
        hint={`Your local time, ${zoneName(Date.now())}`}
        onText={to => setRange(old => ({ ...old, to }))}
      />
      <Button kind="primary" type="submit">
        Apply
      </Button>
    </form>
  );
}
