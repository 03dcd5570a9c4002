/* Whom an alert tells: the channel, and the fields that its type takes. */

import type { Alert } from '../../features/alerts/model.ts';
import { Checkbox, Field, Notice } from '../kit/controls.tsx';
import { SelectField } from '../kit/select-field.tsx';
import type { PartProps } from './draft.ts';
import { type ChannelType, channelTitles } from './wording.ts';

const types = (Object.keys(channelTitles) as ChannelType[]).map(id => ({ id, label: channelTitles[id] }));

type UrlTexts = { label: string; placeholder: string; hint: string };

const urlTexts: Record<Exclude<ChannelType, 'email'>, UrlTexts> = {
  slack: {
    label: 'Webhook URL',
    placeholder: 'https://hooks.slack.com/services/…',
    hint: 'Of an incoming webhook. Slack makes one for an app: Features, Incoming Webhooks.',
  },
  discord: {
    label: 'Webhook URL',
    placeholder: 'https://discord.com/api/webhooks/…',
    hint: 'Discord makes one in the settings of a channel: Integrations, Webhooks.',
  },
  ntfy: {
    label: 'Topic URL',
    placeholder: 'https://ntfy.sh/a-name-that-nobody-guesses',
    hint: 'Whoever knows the name of a public topic can read it.',
  },
  webhook: {
    label: 'URL',
    placeholder: 'https://example.com/alerts',
    hint: 'Gets JSON, signed as Standard Webhooks says.',
  },
};

const plain = { type: 'text', autocomplete: 'off', spellcheck: false, autocapitalize: 'off' } as const;

type ChannelFieldsProps = PartProps & { canEmail: boolean; before: Alert | undefined };

export function ChannelFields(props: ChannelFieldsProps) {
  const { draft, problems, change, canEmail, before } = props;
  const { channelType } = draft;
  const isEmail = channelType === 'email';
  const texts = isEmail ? undefined : urlTexts[channelType];
  return (
    <fieldset class="alert-part">
      <legend>Tell</legend>
      <SelectField label="Channel" options={types} value={channelType} onPick={type => change({ channelType: type })} />
      {problems.channel && <p class="hint bad">{problems.channel}</p>}
      {isEmail && !canEmail && (
        <Notice tone="warn" title="Email isn't set up on this server">
          Its operator sets <code>HOOKTAPE_SMTP_URL</code> to a mail server, such as{' '}
          <code>smtp://user:password@mail.example.com:587</code>, and restarts Hooktape.
        </Notice>
      )}
      {isEmail && canEmail && (
        <Field
          label="Email address"
          {...plain}
          inputMode="email"
          placeholder="oncall@example.com"
          value={draft.to}
          onText={to => change({ to })}
          problem={problems.to ?? ''}
        />
      )}
      {texts && (
        <Field
          {...texts}
          {...plain}
          inputMode="url"
          value={draft.url}
          onText={url => change({ url })}
          problem={problems.url ?? ''}
        />
      )}
      <SecretFields {...props} isKept={before?.channel.type === channelType} />
    </fieldset>
  );
}

/** @param isKept the channel may have a secret from before */
function SecretFields({ draft, problems, change, isKept }: ChannelFieldsProps & { isKept: boolean }) {
  if (draft.channelType === 'ntfy')
    return (
      <>
        {!draft.isTokenRemoved && (
          <Field
            label="Access token"
            {...plain}
            type="password"
            placeholder={isKept ? 'unchanged' : 'none'}
            value={draft.token}
            onText={token => change({ token })}
            hint={
              isKept ? 'Leave it empty to keep the token that is stored, if there is one.' : 'If the topic needs one.'
            }
            problem={problems.token ?? ''}
          />
        )}
        {isKept && (
          <Checkbox
            label="Remove the stored token"
            hint="Notifications are then sent without one."
            checked={draft.isTokenRemoved}
            onChange={isTokenRemoved => change({ isTokenRemoved, token: '' })}
          />
        )}
      </>
    );
  if (draft.channelType !== 'webhook') return null;
  return isKept ? (
    <Checkbox
      label="Make a new signing secret"
      hint="The old one isn't used any more. The new one is shown once, after saving."
      checked={draft.isNewSecret}
      onChange={isNewSecret => change({ isNewSecret })}
    />
  ) : (
    <p class="hint">The signing secret is shown once, after saving.</p>
  );
}
