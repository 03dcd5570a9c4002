/* The fields of the dialog for a new job. */

import type { ReplayJobInput } from '../../../features/replay-jobs/model.ts';
import { maxJobConcurrency, maxJobPerSecond, minJobPerSecond } from '../../../shared/limits.ts';
import { Field, SelectField } from '../../kit/controls.tsx';
import { flag, list, url, wholeNumber } from '../../kit/fields.tsx';
import type { FormField, Rules, SchemaOf } from '../../kit/schema.ts';
import { filterText } from '../filter/filter-field.tsx';

const paces = [
  { id: 'none', label: 'As fast as possible' },
  { id: 'rate', label: 'Fixed rate' },
  { id: 'original', label: 'Original timing' },
  { id: 'faster', label: 'Original timing, faster' },
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
      return `Enter a number from ${minJobPerSecond} to ${maxJobPerSecond.toLocaleString()}.`;
    return kind === 'faster' && !isBetween(factor, 0.001, 999_999) ? 'Enter a number above 0.' : undefined;
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
            label="Events per second"
            inputMode="decimal"
            value={perSecond}
            onText={text => change(['rate', text, factor])}
            problem={problem}
          />
        )}
        {kind === 'faster' && (
          <Field
            label="Speed factor"
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
  where: { ...filterText, to: (text: string) => text.trim() || undefined },
  dest: url({
    label: 'Destination',
    list: 'job-destinations',
    placeholder: 'https://staging.example.com/webhooks',
    required: 'Enter the destination URL.',
    autoFocus: true,
    isSelected: true,
  }),
  pace,
  concurrency: wholeNumber({ label: 'In parallel', min: 1, max: maxJobConcurrency }),
  per: flag({
    label: 'Only the newest attempt of each delivery',
    hint: 'Retries of the same delivery are sent once.',
    on: 'delivery',
    off: 'event',
  }),
  skipOk: flag({
    label: 'Skip events already accepted',
    hint: 'Events that this destination has already answered with 2xx are not sent again.',
    on: true,
    off: false,
  }),
  'sign.mode': flag({
    label: 'Re-sign',
    hint: 'Uses a saved secret that may sign for this destination. Events it may not sign fail without being sent.',
    on: 'fresh',
    off: 'none',
  }),
  stopAfter: wholeNumber({
    label: 'Pause after … failures',
    hint: 'Leave empty to never pause.',
    min: 1,
    isOptional: true,
  }),
  dest2: url({
    label: 'Compare with a second destination',
    hint: 'Sends each event to both and compares their responses.',
  }),
  ignore: list({
    label: 'Ignore',
    hint: 'Paths to leave out, comma-separated: status, body.id, body.items[].createdAt',
  }),
  compareHeaders: list({
    label: 'Compare headers',
    hint: 'Header names, comma-separated. Status and body are always compared.',
  }),
} satisfies SchemaOf<ReplayJobInput>;

export const jobRules: Rules<typeof schema> = {
  schema,
  applies: (path, draft) => (path !== 'ignore' && path !== 'compareHeaders') || draft.dest2.trim() !== '',
};
