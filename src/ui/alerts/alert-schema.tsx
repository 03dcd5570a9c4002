/* The fields of an alert's form. */

import type { AlertInput } from '../../features/alerts/model.ts';
import {
  defaultAlertCount,
  defaultAlertMinutes,
  kindTakes,
  maxAlertCount,
  maxAlertMinutes,
} from '../../shared/alerts.ts';
import { maxNameCharacters } from '../../shared/limits.ts';
import { withScheme } from '../../shared/typed-url.ts';
import { filterText } from '../inspector/filter/filter-field.tsx';
import { Field, SelectField } from '../kit/controls.tsx';
import { choice, text, typed, wholeNumber } from '../kit/fields.tsx';
import type { DraftOf, FormField, Rules, SchemaOf } from '../kit/schema.ts';
import {
  type ChannelType,
  channelTitles,
  type Kind,
  kinds,
  minutesText,
  splitMinutes,
  type Unit,
  unitMinutes,
} from './wording.ts';

const units: readonly { id: Unit; label: string }[] = [
  { id: 'minute', label: 'minutes' },
  { id: 'hour', label: 'hours' },
  { id: 'day', label: 'days' },
];

const minutesOf = ([amount = '', unit]: readonly string[]): number => Number(amount.trim()) * unitMinutes[unit as Unit];

const minutes: FormField<readonly string[], number | null> = {
  from(value) {
    const { amount, unit } = splitMinutes(value ?? defaultAlertMinutes);
    return [String(amount), unit];
  },
  to: minutesOf,
  problem(draft) {
    if (!/^\d{1,6}$/.test(draft[0]?.trim() ?? '') || minutesOf(draft) < 1) return 'Enter a whole number, at least 1.';
    return minutesOf(draft) > maxAlertMinutes ? `At most ${minutesText(maxAlertMinutes)}.` : undefined;
  },
  View: ({ input: { value, problem, change }, texts }) => (
    <>
      <Field
        label={texts.label ?? 'For'}
        type="text"
        inputMode="numeric"
        autocomplete="off"
        maxLength={6}
        value={value[0] ?? ''}
        onText={amount => change([amount, value[1] ?? 'minute'])}
        problem={problem}
      />
      {/* Beside the amount: a choice that is itself a part of the row would get a line of its own. */}
      <div>
        <SelectField
          label="Unit"
          options={units}
          value={value[1] as Unit}
          onPick={unit => change([value[0] ?? '', unit])}
        />
      </div>
    </>
  ),
};

/** The credential of a channel. Its draft is what to do with it, and the text that was entered. */
export const credential: FormField<readonly string[], string> = {
  from: () => ['set', ''],
  // Empty: none any more. Left out: as before.
  to: ([action, entered = '']) => {
    if (action === 'new') return newWebhookSecret();
    return action === 'remove' ? '' : entered.trim() || undefined;
  },
  withoutSecret: ([action = 'set']) => [action, ''],
};

export const channels = (Object.keys(channelTitles) as ChannelType[]).map(id => ({ id, label: channelTitles[id] }));

const schema = {
  kind: choice({ label: 'Watch for', options: kinds.map(({ id, title }) => ({ id, label: title })) }),
  count: wholeNumber({ label: 'Events', min: 1, max: maxAlertCount }),
  minutes,
  where: filterText,
  'channel.type': choice({ label: 'Channel', options: channels }),
  'channel.to': text({
    label: 'Email address',
    inputMode: 'email',
    placeholder: 'oncall@example.com',
    required: 'Enter an email address.',
  }),
  'channel.url': typed<string>({ label: 'URL', inputMode: 'url', required: 'Enter the URL.' }, { to: withScheme }),
  'channel.secret': credential,
  // Without a name, it gets that of its kind.
  name: typed<string>(
    { label: 'Name', maxLength: maxNameCharacters, hint: 'Included in every notification.' },
    { to: name => name },
  ),
} satisfies SchemaOf<AlertInput>;
export type AlertDraft = DraftOf<typeof schema>;

export const alertRules: Rules<typeof schema> = {
  schema,
  applies(path, draft) {
    const type = draft['channel.type'];
    if (path === 'where' || path === 'minutes' || path === 'count') return Boolean(kindTakes[draft.kind][path]);
    if (path === 'channel.to') return type === 'email';
    if (path === 'channel.url') return type !== 'email';
    return path !== 'channel.secret' || type === 'ntfy' || type === 'webhook';
  },
};

/** A new alert may begin with a longer silence than with the time of other kinds. */
const firstMinutes = (kind: Kind): number => kindTakes[kind].minutes?.offered ?? defaultAlertMinutes;

export const newAlert = (kind: Kind) => ({
  kind,
  minutes: firstMinutes(kind),
  count: defaultAlertCount,
  channel: { type: 'slack' },
});

/** What another kind changes: a time that was entered stays. */
export function withKind(draft: AlertDraft, kind: Kind): Partial<AlertDraft> {
  const isDefault = draft.minutes.join() === minutes.from(firstMinutes(draft.kind)).join();
  return { kind, ...(isDefault && { minutes: minutes.from(firstMinutes(kind)) }) };
}

const secretBytes = 32;

/** As the server makes them. */
function newWebhookSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(secretBytes));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
