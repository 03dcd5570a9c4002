/* The time range of the filter: presets, and a start and an end in local time. It writes `received` terms into the filter's text. */

import { text } from '../../kit/fields.tsx';
import { Form, Inputs, useForm } from '../../kit/form.tsx';
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
    <div class="anchor rigid" ref={frame}>
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

const schema = {
  from: text({ label: 'From', type: 'datetime-local' }),
  to: text({ label: 'To', type: 'datetime-local' }),
};

function CustomRange({ terms, onPick }: TimeRangePickerProps) {
  const form = useForm({
    schema,
    initial: localRangeOf(terms),
    isNew: true,
    check: range => ({ to: rangeProblem(range) }),
    save: async (_, range) => onPick(rangeTerms(range)),
  });
  return (
    <Form form={form} submit="Apply">
      <Inputs form={form} paths={['from', 'to']} texts={{ to: { hint: `Your local time, ${zoneName(Date.now())}` } }} />
    </Form>
  );
}
