/* How a replay is signed: with the captured signature, re-signed, or with a broken signature. */

import { useEffect, useRef } from 'preact/hooks';
import { SelectField } from '../../kit/controls.tsx';
import { Inputs } from '../../kit/form.tsx';
import { Link } from '../../kit/navigation.tsx';
import { type ReplayForm, signModes } from './use-replay-form.tsx';
import { type SigningSecrets, secretName } from './use-signing-secrets.ts';

const summaries = {
  none: 'as captured',
  fresh: 're-signed with the current time',
  tamper: 'invalid on purpose: your handler must reject it',
};

type SigningProps = { endpointId: string; form: ReplayForm; signing: SigningSecrets };

export function SigningSection(props: SigningProps) {
  const { value: mode, problem, change } = props.form.input('sign.mode');
  const drawer = useRef<HTMLDetailsElement>(null);
  const isEdited = props.form.edit !== undefined;
  // Changes need a new signature, so it opens by itself.
  useEffect(() => {
    if (isEdited && drawer.current) drawer.current.open = true;
  }, [isEdited]);
  return (
    <details class="drawer" ref={drawer}>
      <summary>
        Signature <span class="faint">{summaries[mode]}</span>
      </summary>
      <div class="col loose">
        <fieldset class="row loose">
          <legend class="offscreen">Signature</legend>
          {signModes.map(({ id, label }) => (
            <label key={id} class="checkbox">
              <input type="radio" name="signature" checked={mode === id} onChange={() => change(id)} />
              {label}
            </label>
          ))}
        </fieldset>
        {problem && <p class="hint bad">{problem}</p>}
        {mode === 'none' ? (
          <p class="faint">
            {isEdited
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

function SecretChoice({ endpointId, form, signing }: SigningProps) {
  const { edit, draft } = form;
  const isToListener = draft.listener !== '';
  const isUnchanged = !edit && !draft['sign.newId'];
  const able = isToListener || !isUnchanged ? [] : signing.able;
  const chosen = draft['sign.secretId'];
  const isFirst = useRef(true);
  useEffect(() => {
    signing.load();
    const [best = able[0]] = able.filter(({ maySign }) => maySign);
    if (!best || !isFirst.current || draft['sign.secret'] !== '') return;
    isFirst.current = false;
    form.change({ 'sign.secretId': best.id });
  }, [able.length]);
  return (
    <>
      {(able.length > 0 || chosen !== '') && (
        <SelectField
          label="Sign with"
          options={[
            { id: '', label: 'Enter a secret' },
            ...signing.able.map(one => ({ id: one.id, label: secretName(one) })),
          ]}
          value={chosen}
          onPick={secretId => form.change({ 'sign.secretId': secretId, 'sign.secret': '' })}
          problem={form.input('sign.secretId').problem}
        />
      )}
      <Inputs form={form} paths={['sign.secret']} />
      {signing.problem && <p class="hint bad">Couldn't load the saved secrets. {signing.problem}</p>}
      {chosen !== '' && !isUnchanged && (
        <p class="hint bad">A saved secret signs only an unchanged event. Enter the secret instead.</p>
      )}
      {isToListener && (
        <p class="hint">
          Saved secrets don't sign for listeners. Start the listener with <code>--resign</code> to sign on its machine.
        </p>
      )}
      {signing.able.length === 0 && signing.isLoaded && isUnchanged && !isToListener && (
        <p class="hint">
          A saved secret signs only events that are valid with it. Add one in the{' '}
          <Link to={`/app/endpoints/${endpointId}/settings/secrets`}>endpoint's settings</Link>.
        </p>
      )}
      <Inputs form={form} paths={['sign.newId']} />
    </>
  );
}
