/* The form of an alert: what it watches, and whom it notifies. Only the settings that its kind and its channel take. */

import type { Alert, AlertInput } from '../../features/alerts/model.ts';
import { kindTakes } from '../../shared/alerts.ts';
import { FilterField } from '../inspector/filter/filter-field.tsx';
import { useSeen } from '../inspector/filter/use-seen-values.ts';
import { Button, Checkbox, Field, Notice, SelectField } from '../kit/controls.tsx';
import { Form, type FormOf, Inputs, useForm } from '../kit/form.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { type FieldTexts, type Input, problemsOf, requestOf } from '../kit/schema.ts';
import { keptDraft } from '../kit/use-draft.ts';
import { ConditionSentence } from './alert-card.tsx';
import { type AlertDraft, alertRules, channels, credential, newAlert, withKind } from './alert-schema.tsx';
import { alertsApi } from './alerts-api.ts';
import { type ChannelType, type Condition, type Kind, kindOf, kinds } from './wording.ts';

const formName = (endpointId: string, alertId = 'new'): string => `alert.${endpointId}.${alertId}`;

/** Whether the form has unsaved changes of an earlier visit. @param alertId undefined for a new one */
export const hasUnsaved = (endpointId: string, alertId?: string): boolean =>
  keptDraft(formName(endpointId, alertId)) !== null;

type AlertFormProps = {
  endpointId: string;
  canEmail: boolean;
  /** To change. Without: a new one. */
  alert?: Alert;
  kind?: Kind;
  onSaved: (alert: Alert) => void;
  onCancel: () => void;
};

export function AlertForm({ endpointId, canEmail, alert, kind = 'silence', onSaved, onCancel }: AlertFormProps) {
  const seen = useSeen(endpointId);
  const form = useForm({
    ...alertRules,
    name: formName(endpointId, alert?.id),
    initial: alert ?? newAlert(kind),
    isNew: alert === undefined,
    save(request: AlertInput, draft) {
      const named = request.name === '' ? { ...request, name: defaultName(draft.kind) } : request;
      return alert ? alertsApi.change(endpointId, alert.id, named) : alertsApi.create(endpointId, named);
    },
    onSaved: saved => (saved ? onSaved(saved) : onCancel()),
  });
  const { draft } = form;
  const cancel = (): void => {
    form.forget();
    onCancel();
  };
  return (
    <Form
      form={form}
      class="card section alert-form"
      what="alert"
      title={alert ? `Edit ${visibleName(alert.name)}` : 'New alert'}
      submit={alert ? 'Save' : 'Create alert'}
      isLocked={draft['channel.type'] === 'email' && !canEmail}
      cancel={<Button onClick={cancel}>Cancel</Button>}
      isFocused
    >
      {alert ? (
        <p class="lead">
          {kindOf(alert.kind)?.title}: {kindOf(alert.kind)?.sentence}
        </p>
      ) : (
        <KindFields kind={draft.kind} onPick={picked => form.change(withKind(draft, picked))} />
      )}
      <fieldset class="box col">
        <legend>When</legend>
        {kindTakes[draft.kind].minutes && (
          <div class="fit">
            <Inputs form={form} paths={['count', 'minutes']} texts={{ minutes: amountTexts[draft.kind] ?? {} }} />
          </div>
        )}
        {kindTakes[draft.kind].where && (
          <FilterField
            label={draft.kind === 'silence' ? 'Count only events that match' : 'Only events that match'}
            input={form.input('where')}
            error={form.error}
            seen={seen}
            placeholder="every event"
            without={allFields}
          />
        )}
        <Preview draft={draft} />
      </fieldset>
      <ChannelFields form={form} canEmail={canEmail} isKept={alert?.channel.type === draft['channel.type']} />
      <Inputs form={form} paths={['name']} texts={{ name: { placeholder: defaultName(draft.kind) } }} />
    </Form>
  );
}

const allFields: readonly string[] = [];
const amountTexts: Partial<Record<Kind, FieldTexts>> = {
  silence: { label: 'No event for' },
  bad_signatures: { label: 'Within' },
  forward_stuck: { label: 'Failing for' },
};

const defaultName = (kind: Kind): string => kindOf(kind)?.defaultName ?? kind;

const KindFields = ({ kind, onPick }: { kind: Kind; onPick: (kind: Kind) => void }) => (
  <fieldset class="col">
    <legend>Watch for</legend>
    {kinds.map(({ id, title, sentence }) => (
      <label key={id} class="option">
        <input type="radio" name="alert-kind" checked={id === kind} onChange={() => onPick(id)} />
        <span class="stack">
          <strong>{title}</strong>
          <span class="faint">{sentence}</span>
        </span>
      </label>
    ))}
  </fieldset>
);

/** The condition as the list will show it. */
function Preview({ draft }: { draft: AlertDraft }) {
  const problems = problemsOf(alertRules, draft);
  if (problems.minutes || problems.count) return null;
  const none = { where: null, minutes: null, count: null };
  const condition = { ...none, ...requestOf(alertRules, draft) } as Condition;
  return (
    <p class="soft breaks">
      <ConditionSentence condition={condition} />
    </p>
  );
}

const urlTexts: Record<Exclude<ChannelType, 'email'>, FieldTexts> = {
  slack: {
    label: 'Webhook URL',
    placeholder: 'https://hooks.slack.com/services/…',
    hint: 'An incoming webhook. In Slack: your app > Features > Incoming Webhooks.',
  },
  discord: {
    label: 'Webhook URL',
    placeholder: 'https://discord.com/api/webhooks/…',
    hint: 'In Discord: channel settings > Integrations > Webhooks.',
  },
  ntfy: {
    label: 'Topic URL',
    placeholder: 'https://ntfy.sh/a-name-that-nobody-guesses',
    hint: 'Anyone who knows the name of a public topic can read it.',
  },
  webhook: {
    label: 'URL',
    placeholder: 'https://example.com/alerts',
    hint: 'Receives JSON signed according to Standard Webhooks.',
  },
};

type ChannelFieldsProps = {
  form: FormOf<typeof alertRules.schema>;
  canEmail: boolean;
  /** The channel may have a secret from before. */
  isKept: boolean;
};

function ChannelFields({ form, canEmail, isKept }: ChannelFieldsProps) {
  const type = form.draft['channel.type'];
  return (
    <fieldset class="box col">
      <legend>Notify</legend>
      <SelectField
        label="Channel"
        options={channels}
        value={type}
        onPick={picked => form.change({ 'channel.type': picked, 'channel.secret': credential.from(null) })}
        problem={form.input('channel.type').problem}
      />
      {type === 'email' && !canEmail && (
        <Notice tone="warn" title="Email isn't set up on this server">
          The operator sets <code>HOOKTAPE_SMTP_URL</code> to a mail server, such as{' '}
          <code>smtp://user:password@mail.example.com:587</code>, and restarts Hooktape.
        </Notice>
      )}
      {type === 'email' && canEmail && <Inputs form={form} paths={['channel.to']} />}
      {type !== 'email' && <Inputs form={form} paths={['channel.url']} texts={{ 'channel.url': urlTexts[type] }} />}
      {type === 'ntfy' && <TokenFields input={form.input('channel.secret')} isKept={isKept} />}
      {type === 'webhook' && <SigningFields input={form.input('channel.secret')} isKept={isKept} />}
    </fieldset>
  );
}

type CredentialProps = { input: Input<readonly string[]>; isKept: boolean };

const TokenFields = ({ input: { value, problem, change }, isKept }: CredentialProps) => (
  <>
    {value[0] !== 'remove' && (
      <Field
        label="Access token"
        type="password"
        autocomplete="off"
        placeholder={isKept ? 'unchanged' : 'none'}
        value={value[1] ?? ''}
        onText={token => change(['set', token])}
        hint={isKept ? 'Leave empty to keep the saved token.' : 'Only for protected topics.'}
        problem={problem}
      />
    )}
    {isKept && (
      <Checkbox
        label="Remove the saved token"
        hint="Notifications are sent without a token."
        checked={value[0] === 'remove'}
        onChange={isRemoved => change([isRemoved ? 'remove' : 'set', ''])}
      />
    )}
  </>
);

const SigningFields = ({ input: { value, change }, isKept }: CredentialProps) =>
  isKept ? (
    <Checkbox
      label="Create a new signing secret"
      hint="Replaces the current secret. The new one is shown once, after saving."
      checked={value[0] === 'new'}
      onChange={isNew => change([isNew ? 'new' : 'set', ''])}
    />
  ) : (
    <p class="hint">The signing secret is shown once, after saving.</p>
  );
