/* The fields of the dialog for a new job. */

import type { ReplayJobInput } from '../../../features/replay-jobs/model.ts';
import { maxJobConcurrency, maxJobPerSecond, minJobPerSecond } from '../../../shared/limits.ts';
import { Field } from '../../kit/controls.tsx';
import { flag, list, url, wholeNumber } from '../../kit/fields.tsx';
import type { FormField, Rules, SchemaOf } from '../../kit/schema.ts';
import { SelectField } from '../../kit/select-field.tsx';

const paces = [
  { id: 'none', label: 'As fast as the destination answers' },
  { id: 'rate', label: 'So many a second' },
  { id: 'original', label: 'With the pauses with which they came' },
  { id: 'faster', label: 'As they came, but faster' },
] as const;

const isBetween = (text: string, least: number, most: number): boolean =>
  /^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) >= least && Number(text) <= most;

/** Its draft is the kind of the pace, the events a second, and the times as fast. */
const pace: FormField<readonly string[], string | null> = {
  from: () => ['none', '5', '10'],
  to: ([kind, perSecond, factor]) => {
    if (kind === 'rate') return `${perSecond}/s`;
    if (kind === 'faster') return `original*${factor}`;
    return kind === 'original' ? 'original' : null;
  },
  problem([kind, perSecond = '', factor = '']) {
    if (kind === 'rate' && !isBetween(perSecond, minJobPerSecond, maxJobPerSecond))
      return `A number from ${minJobPerSecond} to ${maxJobPerSecond}.`;
    return kind === 'faster' && !isBetween(factor, 0.001, 999_999) ? 'A number above 0.' : undefined;
  },
  View({ input: { value, problem, change } }) {
    const [kind, perSecond = '', factor = ''] = value;
    return (
      <>
        <SelectField
          label="Pace"
          options={paces}
          value={paces.find(({ id }) => id === kind)?.id ?? 'none'}
          onPick={picked => change([picked, perSecond, factor])}
        />
        {kind === 'rate' && (
          <Field
            label="Events a second"
            inputMode="decimal"
            value={perSecond}
            onText={text => change(['rate', text, factor])}
            problem={problem}
          />
        )}
        {kind === 'faster' && (
          <Field
            label="Times as fast"
            inputMode="decimal"
            value={factor}
            onText={text => change(['faster', perSecond, text])}
            problem={problem}
          />
        )}
      </>
    );
  },
};

const schema = {
  dest: url({
    label: 'Destination',
    list: 'job-destinations',
    placeholder: 'https://staging.example.com/webhooks',
    required: 'Where are the events sent?',
    autoFocus: true,
    isSelected: true,
  }),
  pace,
  concurrency: wholeNumber({ label: 'At a time', min: 1, max: maxJobConcurrency }),
  per: flag({
    label: 'Only the newest attempt of each delivery',
    hint: 'Attempts that carry the same delivery id are sent once.',
    on: 'delivery',
    off: 'event',
  }),
  skipOk: flag({
    label: 'Skip events that the destination has accepted',
    hint: "Events to which it has answered 2xx before aren't sent again.",
    on: true,
    off: false,
  }),
  'sign.mode': flag({
    label: 'Sign anew',
    hint: 'With a stored secret that may sign for the destination. Other events fail without being sent.',
    on: 'fresh',
    off: 'none',
  }),
  stopAfter: wholeNumber({
    label: 'Pause after so many failures',
    hint: 'Empty: it goes on whatever fails.',
    min: 1,
    isOptional: true,
  }),
  dest2: url({
    label: 'Compare with a second destination',
    hint: 'Each event goes to both, and their answers are compared.',
  }),
  ignore: list({
    label: 'Not compared',
    hint: 'Paths with commas in between: status, body.id, body.items[].createdAt.',
  }),
  compareHeaders: list({
    label: 'Headers to compare',
    hint: 'Names with commas in between. Without them, status and body are compared.',
  }),
} satisfies SchemaOf<ReplayJobInput>;

export const jobRules: Rules<typeof schema> = {
  schema,
  applies: (path, draft) => (path !== 'ignore' && path !== 'compareHeaders') || draft.dest2.trim() !== '',
};
