/* How a replay is signed: with the captured signature, re-signed, or with a broken signature. */

import type { Secret } from '../../../features/secrets/model.ts';
import { api } from '../../kit/api.ts';
import { Checkbox, Field, Segmented } from '../../kit/controls.tsx';
import { platformTitle } from '../../kit/format/platforms.ts';
import { Link } from '../../kit/navigation.tsx';
import { SelectField } from '../../kit/select-field.tsx';
import { useQuery } from '../../kit/use-query.ts';
import type { SigningDraft } from './use-draft.ts';

const modes: { id: SigningDraft['mode']; label: string }[] = [
  { id: 'none', label: 'As captured' },
  { id: 'fresh', label: 'Fresh' },
  { id: 'tamper', label: 'Broken' },
];

const summaries: Readonly<Record<SigningDraft['mode'], string>> = {
  none: 'as captured',
  fresh: 're-signed, with the time of sending',
  tamper: 're-signed, then broken: the handler must reject it',
};

type SigningProps = {
  endpointId: string;
  signing: SigningDraft;
  isEdited: boolean;
  isToListener: boolean;
  onChange: (change: Partial<SigningDraft>) => void;
};

export function SigningSection(props: SigningProps) {
  const { signing, isEdited, onChange } = props;
  return (
    <details class="drawer">
      <summary>
        Signature <span class="faint">{summaries[signing.mode]}</span>
      </summary>
      <div class="col loose">
        <Segmented label="How it is signed" options={modes} value={signing.mode} onPick={mode => onChange({ mode })} />
        {signing.mode === 'none' ? (
          <p class="faint">
            {isEdited
              ? "The signature doesn't cover your changes: a handler that checks it will reject the event."
              : 'Most handlers reject a signature older than a few minutes. Re-sign the event for those.'}
          </p>
        ) : (
          <SecretChoice {...props} />
        )}
      </div>
    </details>
  );
}

function SecretChoice({ endpointId, signing, isEdited, isToListener, onChange }: SigningProps) {
  const secrets = useQuery(endpointId, () => api.secrets(endpointId));
  const able = isToListener ? [] : (secrets.value?.secrets.filter(one => one.maySign && one.confirmed) ?? []);
  return (
    <>
      <SelectField
        label="Sign with"
        options={[{ id: '', label: 'a secret I enter' }, ...able.map(one => ({ id: one.id, label: secretName(one) }))]}
        value={signing.secretId}
        onPick={secretId => onChange({ secretId, secret: '' })}
      />
      {signing.secretId === '' ? (
        <Field
          label="Signing secret"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          value={signing.secret}
          onText={secret => onChange({ secret })}
          hint="Used for this replay. The server neither stores nor logs it."
        />
      ) : (
        <p class={isEdited || signing.newId ? 'hint bad' : 'hint'}>
          A saved secret signs only an unchanged event with a valid signature, and only to allowed destinations.{' '}
          {isEdited && "You've changed the event, so enter the secret instead."}
        </p>
      )}
      {isToListener && (
        <p class="hint">
          Saved secrets don't sign for listeners. A listener started with <code>--resign</code> signs on its own
          machine.
        </p>
      )}
      {able.length === 0 && secrets.value && !isToListener && (
        <p class="hint">
          To sign with a saved secret, allow it in the{' '}
          <Link to={`/app/endpoints/${endpointId}/settings`}>endpoint's settings</Link>.
        </p>
      )}
      <Checkbox
        label="New delivery ID"
        hint="For handlers that ignore a delivery ID they have already seen."
        checked={signing.newId}
        onChange={newId => onChange({ newId })}
      />
    </>
  );
}

const secretName = ({ platform, last4 }: Secret): string =>
  `${platform === null ? 'Any platform' : platformTitle(platform)}${last4 ? ` …${last4}` : ''}`;
