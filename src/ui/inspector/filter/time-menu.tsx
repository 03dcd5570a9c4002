/* The menu of a timeline: the period that it shows, and a start and an end in local time, which become the filter's range. */

import { text } from '../../kit/fields.tsx';
import { Form, Inputs, useForm } from '../../kit/form.tsx';
import { Icon } from '../../kit/icons.tsx';
import { usePopup } from '../../kit/menu.tsx';
import { type AxisChoice, axisLabel, spans } from '../../kit/timeline/axis.ts';
import { localRangeOf, localTerm, rangeProblem, zoneName } from './time-range.ts';

type TimeMenuProps = {
  axis: AxisChoice;
  /** The `received` terms of the present filter. */
  terms: readonly string[];
  onAxis: (axis: AxisChoice) => void;
  /** @param term the `received` term to replace them with */
  onRange: (term: string) => void;
};

export function TimeMenu({ axis, terms, onAxis, onRange }: TimeMenuProps) {
  const { isOpen, setIsOpen, frame } = usePopup<HTMLDivElement>();
  const label = axisLabel(axis, Date.now());
  const close = (): void => {
    setIsOpen(false);
    frame.current?.querySelector('button')?.focus();
  };
  return (
    <div class="anchor rigid" ref={frame}>
      <button
        type="button"
        class="link-button"
        aria-expanded={isOpen}
        aria-label={`Period: ${label}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        {label}
      </button>
      {isOpen && (
        <fieldset class="popup time-panel" aria-label="Period">
          <ul>
            {spans.map(({ from, label: name }) => (
              <li key={from}>
                <button
                  type="button"
                  aria-pressed={axis.from === from}
                  onClick={() => {
                    close();
                    onAxis({ from, to: '' });
                  }}
                >
                  <span>{name}</span>
                  {axis.from === from && <Icon name="check" />}
                </button>
              </li>
            ))}
          </ul>
          <ExactRange
            terms={terms}
            onRange={term => {
              close();
              onRange(term);
            }}
          />
        </fieldset>
      )}
    </div>
  );
}

const schema = {
  from: text({ label: 'From', type: 'datetime-local' }),
  to: text({ label: 'To', type: 'datetime-local' }),
};

function ExactRange({ terms, onRange }: Pick<TimeMenuProps, 'terms' | 'onRange'>) {
  const form = useForm({
    schema,
    initial: localRangeOf(terms, Date.now()),
    check: range => ({ to: rangeProblem(range) }),
    save: async (_, range) => onRange(localTerm(range)),
  });
  return (
    <Form form={form} submit="Apply">
      <Inputs form={form} paths={['from', 'to']} texts={{ to: { hint: `Your local time, ${zoneName(Date.now())}` } }} />
    </Form>
  );
}
