/* One-time codes: the dialogs that turn them on, with a QR code and recovery codes, and off. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Dialog } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { text } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { onDemand } from '../kit/on-demand.tsx';
import { Loaded } from '../kit/page.tsx';
import { saveFile } from '../kit/save-file.ts';
import { showToast } from '../kit/toasts.tsx';
import { useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { signInApi } from './sign-in-api.ts';

const QrCode = onDemand(() => import('./qr-code.tsx').then(part => part.QrCode));

type CodeFormProps<R> = {
  submit: string;
  submitKind?: 'danger';
  hint: string;
  save: (code: string) => Promise<R>;
  onSaved: (saved: R) => void;
  children: ComponentChildren;
};

function CodeForm<R>({ hint, save, onSaved, children, ...rest }: CodeFormProps<R>) {
  const form = useForm({
    schema: { code },
    messageAt: 'code',
    save: (given: { code: string }) => save(given.code).then(onSaved),
  });
  return (
    <Form form={form} isDialog {...rest}>
      {children}
      <Inputs form={form} paths={['code']} texts={{ code: { hint } }} />
    </Form>
  );
}
const code = text({
  label: 'One-time code',
  autocomplete: 'one-time-code',
  required: 'Enter the code.',
  autoFocus: true,
});

type DialogProps = { onClose: () => void };

export function TurnOnDialog({ onClose }: DialogProps) {
  const started = useQuery('totp', signInApi.startTotp);
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>();
  if (recoveryCodes) return <RecoveryCodes codes={recoveryCodes} onClose={onClose} />;
  return (
    <Dialog title="Turn on one-time codes" isPersistent onClose={onClose}>
      <Loaded query={started} what="a key" rows={5} inCard>
        {({ secret, uri }) => (
          <CodeForm
            submit="Turn on"
            hint="The six digits that the app shows now."
            save={signInApi.confirmTotp}
            onSaved={confirmed => setRecoveryCodes(confirmed.recoveryCodes)}
          >
            <p>Scan the QR code with an authenticator app, or type the key into it.</p>
            <QrCode text={uri} label="QR code for an authenticator app" />
            <div class="address large line">
              <code class="grow breaks">{secret.match(/.{1,4}/g)?.join(' ')}</code>
              <CopyButton text={secret} what="key" />
            </div>
          </CodeForm>
        )}
      </Loaded>
    </Dialog>
  );
}

/** The codes are shown only once. */
function RecoveryCodes({ codes, onClose }: DialogProps & { codes: readonly string[] }) {
  const { session } = useWorkspace();
  const whole = `Recovery codes for ${session.account.email} at ${location.origin}\nEach works once.\n\n${codes.join('\n')}\n`;
  const done = (): void => {
    onClose();
    showToast('One-time codes are on.');
  };
  return (
    <Dialog title="Save your recovery codes" isPersistent onClose={done}>
      <p>
        Each replaces a one-time code once, for {session.account.email} at {location.host}. Keep them where you find
        them without your phone. You won't see them again.
      </p>
      <ul class="code two" aria-label="Recovery codes">
        {codes.map(code => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="row">
        <CopyButton label="Copy" text={whole} autofocus />
        <Button icon="download" onClick={() => saveFile('hooktape-recovery-codes.txt', whole)}>
          Download
        </Button>
        <Button onClick={() => print()}>Print</Button>
      </div>
      <div class="line end">
        <Button kind="primary" onClick={done}>
          I saved them
        </Button>
      </div>
    </Dialog>
  );
}

export const TurnOffDialog = ({ onClose }: DialogProps) => (
  <Dialog title="Turn off one-time codes?" onClose={onClose}>
    <CodeForm
      submit="Turn off"
      submitKind="danger"
      hint="From your authenticator app, or one of your recovery codes."
      save={signInApi.turnOffTotp}
      onSaved={() => {
        onClose();
        showToast('One-time codes are off.');
      }}
    >
      <p>From then on, your password is enough to sign in.</p>
    </CodeForm>
  </Dialog>
);
