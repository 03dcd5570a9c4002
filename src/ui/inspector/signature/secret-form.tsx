/* Tries a secret on one event, and saves it. The secret leaves the field only in the request that checks or saves it. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import type { SignatureExplanation } from '../../../features/signatures/model.ts';
import { api } from '../../kit/api.ts';
import { Button, SelectField } from '../../kit/controls.tsx';
import { secret, text } from '../../kit/fields.tsx';
import { Form, Inputs, useForm } from '../../kit/form.tsx';
import { findPlatform, platformsWithSecret } from '../../kit/format/platforms.ts';
import { showToast } from '../../kit/toasts.tsx';
import { Causes } from './saved-secrets.tsx';
import { describeCheck } from './wording.ts';

const schema = {
  platform: text({ label: 'Platform' }),
  scheme: text({ label: 'Scheme' }),
  secret: secret({ label: 'Signing secret', required: 'Enter the secret.' }),
};

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
  const [found, setFound] = useState<SignatureExplanation>();
  const wanted = useRef<'check' | 'save'>('check');
  const focus = useFocusBack();
  const show = (result: SignatureExplanation | undefined): void => {
    setFound(result);
    onFound(result);
  };
  const form = useForm({
    schema,
    initial: { platform: own },
    staysFilled: true,
    messageAt: 'secret',
    applies: (path, { platform }) => path !== 'scheme' || (schemes.length > 1 && platform === own),
    async save({ platform, ...request }: { platform: string | null; scheme?: string | null; secret: string }) {
      try {
        if (wanted.current === 'check')
          return await api.checkSignature(event.id, {
            secret: request.secret,
            ...(platform && { platform }),
            ...(request.scheme && { scheme: request.scheme }),
          });
        await api.addSecret(event.endpointId, { platform, secret: request.secret });
        return undefined;
      } catch (error) {
        show(undefined);
        throw error;
      }
    },
    onSaved(checked) {
      if (checked) return show(checked);
      form.change({ secret: '' });
      onSaved();
      showToast('Secret saved. Existing events are re-checked immediately.');
      focus.back();
    },
  });
  const { draft } = form;
  // What was found is about the secret that was sent.
  useEffect(() => show(undefined), [draft.secret]);
  const run = (what: 'check' | 'save', submitted?: Event): Promise<void> => {
    if (!form.isBusy) wanted.current = what;
    return form.submit(submitted);
  };
  const isBusy = (what: 'check' | 'save'): boolean => form.isBusy && wanted.current === what;
  return (
    <section class="secret-form card box col" aria-label="Check with a secret" onFocusIn={focus.remember}>
      <Form
        form={{ ...form, isBusy: isBusy('check'), submit: submitted => run('check', submitted) }}
        class="row loose top"
        submit="Check"
        submitKind="plain"
        isLocked={draft.secret === ''}
        after={
          <Button kind="primary" busy={isBusy('save')} disabled={draft.secret === ''} onClick={() => run('save')}>
            Save this secret
          </Button>
        }
      >
        <SelectField
          label="Platform"
          value={draft.platform}
          onPick={platform => form.change({ platform })}
          options={platformOptions(draft.platform)}
          problem={form.input('platform').problem}
        />
        {schemes.length > 1 && draft.platform === own && (
          <SelectField
            label="Scheme"
            value={draft.scheme}
            onPick={scheme => form.change({ scheme })}
            options={[{ id: '', label: 'any' }, ...schemes.map(one => ({ id: one, label: one }))]}
            problem={form.input('scheme').problem}
          />
        )}
        <Inputs
          form={form}
          paths={['secret']}
          texts={{
            secret: {
              hint: findPlatform(draft.platform)?.secretHint ?? 'Paste it exactly as the sender shows it.',
            },
          }}
        />
      </Form>
      <div role="status">
        {found && <strong class={describeCheck(found).tone}>{describeCheck(found).text}</strong>}{' '}
        <span class="faint">Check uses it once. Save stores it encrypted.</span>
        {found && <Causes causes={found.causes} />}
      </div>
    </section>
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
