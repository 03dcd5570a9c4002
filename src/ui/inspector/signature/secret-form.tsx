/*
 * Tries a secret on one event, and saves it. The secret leaves the field only in the request that checks or saves it; after saving,
 * the focus goes back to where it was before the field.
 */

import { useRef, useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import type { SignatureExplanation } from '../../../features/signatures/model.ts';
import { api } from '../../kit/api.ts';
import { Button, Field } from '../../kit/controls.tsx';
import { findPlatform, platformsWithSecret } from '../../kit/format/platforms.ts';
import { SelectField } from '../../kit/select-field.tsx';
import { showToast } from '../../kit/toasts.tsx';
import { describeCheck } from './wording.ts';

type SecretFormProps = {
  event: EventDetail;
  /** The schemes of the explanation without a secret. */
  schemes: readonly string[];
  onFound: (found: SignatureExplanation | undefined) => void;
  /** A secret was saved: the verdicts of the endpoint's events have changed. */
  onSaved: () => void;
};

export function SecretForm({ event, schemes, onFound, onSaved }: SecretFormProps) {
  const own = event.signature?.platform ?? event.platform ?? '';
  const [platform, setPlatform] = useState(own);
  const [scheme, setScheme] = useState('');
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState('');
  const [found, setFound] = useState<SignatureExplanation>();
  const [busy, setBusy] = useState<'check' | 'save'>();
  const focus = useFocusBack();
  const show = (result: SignatureExplanation | undefined): void => {
    setFound(result);
    onFound(result);
  };
  const run = async (what: 'check' | 'save', work: () => Promise<void>): Promise<void> => {
    setBusy(what);
    setProblem('');
    try {
      await work();
    } catch (error) {
      show(undefined);
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(undefined);
  };
  const check = (): Promise<void> =>
    run('check', async () =>
      show(
        await api.checkSignature(event.id, {
          secret,
          ...(platform !== '' && { platform }),
          ...(scheme !== '' && platform === own && { scheme }),
        }),
      ),
    );
  const save = (): Promise<void> =>
    run('save', async () => {
      await api.addSecret(event.endpointId, { platform: platform || null, secret });
      setSecret('');
      show(undefined);
      onSaved();
      showToast('Secret saved. Existing events are re-checked immediately.');
      focus.back();
    });
  return (
    <form
      class="secret-form card box row loose top"
      aria-label="Check with a secret"
      onFocusIn={focus.remember}
      onSubmit={submitted => {
        submitted.preventDefault();
        void check();
      }}
    >
      <SelectField label="Platform" value={platform} onPick={setPlatform} options={platformOptions(platform)} />
      {schemes.length > 1 && platform === own && (
        <SelectField
          label="Scheme"
          value={scheme}
          onPick={setScheme}
          options={[{ id: '', label: 'any' }, ...schemes.map(one => ({ id: one, label: one }))]}
        />
      )}
      <Field
        label="Signing secret"
        type="password"
        autocomplete="off"
        spellcheck={false}
        value={secret}
        onText={text => {
          setSecret(text);
          show(undefined);
        }}
        problem={problem}
        hint={findPlatform(platform)?.secretHint ?? 'Enter it exactly as the sender shows it.'}
      />
      <div class="button-row">
        <Button type="submit" busy={busy === 'check'} disabled={secret === ''}>
          Check
        </Button>
        <Button kind="primary" busy={busy === 'save'} disabled={secret === ''} onClick={save}>
          Save this secret
        </Button>
      </div>
      <p class="check-result" role="status">
        {found && <strong class={describeCheck(found).tone}>{describeCheck(found).text}</strong>}{' '}
        <span class="faint">Check uses the secret once. Save stores it, encrypted.</span>
      </p>
    </form>
  );
}

const platformOptions = (platform: string): { id: string; label: string }[] => {
  const known = platformsWithSecret.map(({ name, title }) => ({ id: name, label: title }));
  const isListed = platform === '' || known.some(({ id }) => id === platform);
  return [{ id: '', label: 'Any platform' }, ...(isListed ? [] : [{ id: platform, label: platform }]), ...known];
};

/** Remembers what had the focus before the form got it. */
function useFocusBack() {
  const before = useRef<HTMLElement>(undefined);
  return {
    remember(event: FocusEvent): void {
      const [from, form] = [event.relatedTarget, event.currentTarget];
      if (from instanceof HTMLElement && form instanceof HTMLElement && !form.contains(from)) before.current = from;
    },
    back(): void {
      const target = before.current?.isConnected ? before.current : document.getElementById('signature-verdict');
      target?.focus();
    },
  };
}
