/* One-time codes: the dialogs that turn them on, with a QR code and recovery codes, and off. */

import { useState } from 'preact/hooks';
import type { TotpSecret } from '../../features/totp/model.ts';
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

const codeField = text({
  label: 'One-time code',
  autocomplete: 'one-time-code',
  required: 'Enter the code.',
  autoFocus: true,
});

type DialogProps = { onClose: () => void };

export function TurnOnDialog({ onClose }: DialogProps) {
  const secret = useQuery('totp', signInApi.startTotp);
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>();
  if (recoveryCodes) return <RecoveryCodes codes={recoveryCodes} onClose={onClose} />;
  return (
    <Dialog title="Turn on one-time codes" isPersistent onClose={onClose}>
      <Loaded query={secret} what="a secret" rows={5} inCard>
        {loaded => <Confirm secret={loaded} onConfirmed={setRecoveryCodes} />}
      </Loaded>
    </Dialog>
  );
}

type ConfirmProps = { secret: TotpSecret; onConfirmed: (recoveryCodes: readonly string[]) => void };

function Confirm({ secret: { secret, uri }, onConfirmed }: ConfirmProps) {
  const form = useForm({
    schema: { code: codeField },
    initial: {},
    isNew: true,
    messageAt: 'code',
    save: ({ code }: { code: string }) => signInApi.confirmTotp(code),
    onSaved: saved => onConfirmed(saved?.recoveryCodes ?? []),
  });
  return (
    <Form form={form} submit="Turn on" isDialog>
      <p>Scan the QR code with an authenticator app, or type the key into it.</p>
      <QrCode text={uri} label="QR code for an authenticator app" />
      <div class="address large line">
        <code class="grow breaks">{secret.match(/.{1,4}/g)?.join(' ')}</code>
        <CopyButton text={secret} what="key" />
      </div>
      <Inputs form={form} paths={['code']} texts={{ code: { hint: 'The six digits that the app shows now.' } }} />
    </Form>
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

export function TurnOffDialog({ onClose }: DialogProps) {
  const form = useForm({
    schema: { code: codeField },
    initial: {},
    isNew: true,
    messageAt: 'code',
    save: ({ code }: { code: string }) => signInApi.turnOffTotp(code),
    onSaved() {
      onClose();
      showToast('One-time codes are off.');
    },
  });
  return (
    <Dialog title="Turn off one-time codes?" onClose={onClose}>
      <p>From then on, your password is enough to sign in.</p>
      <Form form={form} submit="Turn off" submitKind="danger" isDialog>
        <Inputs
          form={form}
          paths={['code']}
          texts={{ code: { hint: 'From your authenticator app, or one of your recovery codes.' } }}
        />
      </Form>
    </Dialog>
  );
}
