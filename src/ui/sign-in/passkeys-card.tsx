/* The passkeys of the account: add, rename and remove them. */

import { useRef } from 'preact/hooks';
import type { Passkey } from '../../features/passkeys/model.ts';
import { maxNameCharacters } from '../../shared/limits.ts';
import { Button, Dialog, IconButton, Notice } from '../kit/controls.tsx';
import { confirm, openDialog } from '../kit/dialogs.tsx';
import { text } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { browserName } from '../kit/format/browser.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Loaded, Row } from '../kit/page.tsx';
import { LastUsed, Time } from '../kit/time.tsx';
import { showToast } from '../kit/toasts.tsx';
import { useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { canUsePasskeys, createPasskey } from './passkeys.ts';
import { signInApi } from './sign-in-api.ts';
import { useStep } from './step.ts';

type PasskeysCardProps = {
  /** Whether a passkey is the account's only way to sign in. */
  isLastWay: boolean;
  onChanged: () => void;
};

export function PasskeysCard({ isLastWay, onChanged }: PasskeysCardProps) {
  const canAdd = useWorkspace().session.ways.passkeys && canUsePasskeys();
  const passkeys = useQuery('passkeys', signInApi.passkeys);
  const head = useRef<HTMLDivElement>(null);
  const reload = (): void => {
    passkeys.reload();
    onChanged();
  };
  const add = useStep('passkey', () => openDialog(close => <NameDialog onClose={close} />).then(reload));
  const rename = (passkey: Passkey) =>
    openDialog(close => <NameDialog passkey={passkey} onClose={close} />).then(reload);
  const remove = (passkey: Passkey) =>
    confirm({
      title: `Remove ${visibleName(passkey.name)}?`,
      text: "You can't sign in with it any more. Delete it on your device, too.",
      button: 'Remove',
      run: () => signInApi.removePasskey(passkey.id),
      onDone() {
        reload();
        head.current?.querySelector('button')?.focus();
      },
      toast: `${visibleName(passkey.name)} was removed.`,
    });
  return (
    <section class="card section">
      <div class="row loose spread top" ref={head}>
        <div>
          <h2>Passkeys</h2>
          <p class="lead">Sign in with a fingerprint, face or device PIN. They never ask for a code.</p>
        </div>
        {canAdd && (
          <Button icon="plus" onClick={add}>
            Add a passkey
          </Button>
        )}
      </div>
      {!canAdd && (
        <Notice>You can't add a passkey here. Passkeys need https and a host name, not an IP address.</Notice>
      )}
      <Loaded query={passkeys} what="the passkeys" rows={1} inCard>
        {list => (
          <ul class="rows">
            {list.map(passkey => (
              <PasskeyRow
                key={passkey.id}
                passkey={passkey}
                isLastWay={isLastWay}
                onRename={() => rename(passkey)}
                onRemove={() => remove(passkey)}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

type PasskeyRowProps = { passkey: Passkey; isLastWay: boolean; onRename: () => unknown; onRemove: () => unknown };

const PasskeyRow = ({ passkey, isLastWay, onRename, onRemove }: PasskeyRowProps) => {
  const name = visibleName(passkey.name);
  return (
    <Row
      name={name}
      about={
        <>
          Added <Time at={passkey.createdAt} long /> · <LastUsed at={passkey.lastUsedAt} />
          {isLastWay && ' · your only way to sign in'}
        </>
      }
    >
      <div class="line tight">
        <Button kind="quiet" aria-label={`Rename the passkey ${name}`} onClick={onRename}>
          Rename
        </Button>
        <IconButton icon="trash" label={`Remove the passkey ${name}`} disabled={isLastWay} onClick={onRemove} />
      </div>
    </Row>
  );
};

const schema = {
  name: text({
    label: 'Name',
    hint: 'Such as the device that keeps it.',
    maxLength: maxNameCharacters,
    required: 'Enter a name.',
    autoFocus: true,
    isSelected: true,
  }),
};

/** Renames a passkey. Without one, it adds a new one. */
function NameDialog({ passkey, onClose }: { passkey?: Passkey; onClose: () => void }) {
  const form = useForm({
    schema,
    initial: passkey ?? { name: browserName(navigator.userAgent) },
    save: ({ name }: { name: string }) => (passkey ? signInApi.renamePasskey(passkey.id, name) : createPasskey(name)),
    onSaved() {
      onClose();
      showToast(passkey ? 'Passkey renamed.' : 'Passkey added.');
    },
  });
  return (
    <Dialog title={passkey ? 'Rename the passkey' : 'Add a passkey'} onClose={onClose}>
      <Form form={form} submit={passkey ? 'Save' : 'Add'} isDialog>
        <Inputs form={form} paths={['name']} />
      </Form>
    </Dialog>
  );
}
