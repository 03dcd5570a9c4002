/* How a replay is signed: with the captured signature, re-signed, or with a broken signature. */

import type { Secret } from '../../../features/secrets/model.ts';
import { api } from '../../kit/api.ts';
import { Segmented } from '../../kit/controls.tsx';
import { Inputs } from '../../kit/form.tsx';
import { platformTitle } from '../../kit/format/platforms.ts';
import { Link } from '../../kit/navigation.tsx';
import { SelectField } from '../../kit/select-field.tsx';
import { useQuery } from '../../kit/use-query.ts';
import { type ReplayForm, signModes } from './use-replay-form.tsx';

const summaries = {
  none: 'as captured',
  fresh: 're-signed with the current time',
  tamper: 'invalid on purpose: your handler must reject it',
};

type SigningProps = { endpointId: string; form: ReplayForm };

export function SigningSection(props: SigningProps) {
  const { value: mode, problem, change } = props.form.input('sign.mode');
  return (
    <details class="drawer">
      <summary>
        Signature <span class="faint">{summaries[mode]}</span>
      </summary>
      <div class="col loose">
        <Segmented label="Signature" options={signModes} value={mode} onPick={change} />
        {problem && <p class="hint bad">{problem}</p>}
        {mode === 'none' ? (
          <p class="faint">
            {props.form.edit
              ? "The captured signature doesn't match your changes: a handler that checks signatures will reject this."
              : 'Most handlers reject signatures older than a few minutes. Choose Fresh to re-sign.'}
          </p>
        ) : (
          <SecretChoice {...props} />
        )}
      </div>
    </details>
  );
}

function SecretChoice({ endpointId, form }: SigningProps) {
  const { edit, draft } = form;
  const isToListener = draft.listener !== '';
  const secrets = useQuery(endpointId, () => api.secrets(endpointId));
  const able = isToListener ? [] : (secrets.value?.secrets.filter(one => one.maySign && one.confirmed) ?? []);
  return (
    <>
      <SelectField
        label="Sign with"
        options={[{ id: '', label: 'Enter a secret' }, ...able.map(one => ({ id: one.id, label: secretName(one) }))]}
        value={draft['sign.secretId']}
        onPick={secretId => form.change({ 'sign.secretId': secretId, 'sign.secret': '' })}
        problem={form.input('sign.secretId').problem}
      />
      <Inputs form={form} paths={['sign.secret']} />
      {draft['sign.secretId'] !== '' && (
        <p class={edit || draft['sign.newId'] ? 'hint bad' : 'hint'}>
          Saved secrets sign only unchanged, valid events, and only for allowed destinations.{' '}
          {edit && "You've changed the event, so enter the secret instead."}
        </p>
      )}
      {isToListener && (
        <p class="hint">
          Saved secrets don't sign for listeners. Start the listener with <code>--resign</code> to sign on its machine.
        </p>
      )}
      {able.length === 0 && secrets.value && !isToListener && (
        <p class="hint">
          To sign with a saved secret, allow it in the{' '}
          <Link to={`/app/endpoints/${endpointId}/settings/secrets`}>endpoint's settings</Link>.
        </p>
      )}
      <Inputs form={form} paths={['sign.newId']} />
    </>
  );
}

const secretName = ({ platform, last4 }: Secret): string =>
  `${platform === null ? 'Any platform' : platformTitle(platform)}${last4 ? ` …${last4}` : ''}`;
