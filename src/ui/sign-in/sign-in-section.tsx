/* Settings: the ways to sign in of the account, and its sessions. */

import type { SignInWays } from '../../features/accounts/model.ts';
import { ActionButton } from '../kit/action.tsx';
import { Button, Dialog } from '../kit/controls.tsx';
import { confirm, openDialog } from '../kit/dialogs.tsx';
import { flag, secret } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { browserName } from '../kit/format/browser.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Card, Loaded, Row } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { showToast } from '../kit/toasts.tsx';
import { useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { newPasswordField, UsernameOf } from './auth-page.tsx';
import { TurnOffDialog, TurnOnDialog } from './one-time-codes.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { type PasswordChange, signInApi } from './sign-in-api.ts';
import { useStep } from './step.ts';

export function SignInSection() {
  const me = useQuery('me', signInApi.me);
  const sessions = useQuery('sessions', signInApi.sessions);
  const reload = (): void => {
    me.reload();
    sessions.reload();
  };
  return (
    <>
      <Loaded query={me} what="how you sign in" rows={2}>
        {({ signIn }) => <Ways signIn={signIn} onChanged={reload} />}
      </Loaded>
      <Card title="Active sessions">
        <Loaded query={sessions} what="the sessions" rows={2} inCard>
          {list => (
            <ul class="rows">
              {list.map(one => (
                <Row
                  key={one.id}
                  name={browserName(one.userAgent)}
                  title={one.userAgent}
                  about={
                    <>
                      {one.sourceIp} · signed in <Time at={one.createdAt} long /> · last active{' '}
                      <Time at={one.lastSeenAt} long />
                    </>
                  }
                >
                  {one.current ? (
                    <span class="badge good">This device</span>
                  ) : (
                    <ActionButton
                      kind="quiet"
                      act={async () => {
                        await signInApi.endSession(one.id);
                        sessions.reload();
                        showToast('Signed out of that session.');
                      }}
                    >
                      Sign out
                    </ActionButton>
                  )}
                </Row>
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
    </>
  );
}

type WaysProps = { signIn: SignInWays; onChanged: () => void };

function Ways({ signIn, onChanged }: WaysProps) {
  const { ways } = useWorkspace().session;
  const isLastWay = Number(signIn.password) + Number(signIn.oidc) + signIn.passkeys === 1;
  return (
    <>
      <Card
        title="Ways to sign in"
        lead="Keep at least one. Changing them asks you to sign in again if that was more than 10 minutes ago."
      >
        <ul class="rows">
          {ways.oidc && (
            <ProviderRow
              name={visibleName(ways.oidc.name)}
              isConnected={signIn.oidc}
              isLastWay={isLastWay}
              onChanged={onChanged}
            />
          )}
          {ways.password && <PasswordRow isSet={signIn.password} onChanged={onChanged} />}
          {(signIn.password || signIn.totp) && <CodesRow isOn={signIn.totp} onChanged={onChanged} />}
        </ul>
      </Card>
      <PasskeysCard isLastWay={isLastWay && signIn.passkeys === 1} onChanged={onChanged} />
    </>
  );
}

type ProviderRowProps = { name: string; isConnected: boolean; isLastWay: boolean; onChanged: () => void };

function ProviderRow({ name, isConnected, isLastWay, onChanged }: ProviderRowProps) {
  const disconnect = useStep('disconnect', () =>
    confirm({
      title: `Disconnect ${name}?`,
      text: `You can't sign in with ${name} until you connect it again.`,
      button: 'Disconnect',
      run: signInApi.disconnectProvider,
    }).then(onChanged),
  );
  if (!isConnected) {
    return (
      <Row name={name} about="Not connected">
        <ActionButton act={() => signInApi.connectProvider().then(({ url }) => location.assign(url))}>
          Connect
        </ActionButton>
      </Row>
    );
  }
  return (
    <Row
      name={name}
      about={
        isLastWay ? 'Connected. It is your only way to sign in: add another one before you disconnect it.' : 'Connected'
      }
    >
      <Button disabled={isLastWay} onClick={disconnect}>
        Disconnect
      </Button>
    </Row>
  );
}

function CodesRow({ isOn, onChanged }: { isOn: boolean; onChanged: () => void }) {
  const change = useStep('codes', () =>
    openDialog(close => (isOn ? <TurnOffDialog onClose={close} /> : <TurnOnDialog onClose={close} />)).then(onChanged),
  );
  return (
    <Row
      name="One-time codes"
      about={
        isOn ? 'On. Asked for after the password.' : 'Off. A six-digit code from an app, asked for after the password.'
      }
    >
      <Button onClick={change}>{isOn ? 'Turn off…' : 'Turn on…'}</Button>
    </Row>
  );
}

function PasswordRow({ isSet, onChanged }: { isSet: boolean; onChanged: () => void }) {
  const change = useStep('password', () =>
    openDialog(close => <PasswordDialog isSet={isSet} onClose={close} />).then(onChanged),
  );
  return (
    <Row name="Password" about={isSet ? 'Set' : 'Not set'}>
      <Button onClick={change}>{isSet ? 'Change…' : 'Set…'}</Button>
    </Row>
  );
}

const schema = {
  current: secret({
    label: 'Current password',
    autocomplete: 'current-password',
    required: 'Enter your current password.',
  }),
  password: newPasswordField('New password', "You'll be signed out on all other devices."),
  signOutEverywhere: flag({
    label: 'Also disconnect all apps',
    hint: 'API keys keep working. Revoke them under API keys.',
    on: true,
    off: false,
  }),
};

function PasswordDialog({ isSet, onClose }: { isSet: boolean; onClose: () => void }) {
  const { session } = useWorkspace();
  const form = useForm({
    schema,
    applies: path => isSet || path !== 'current',
    save: (request: PasswordChange) => signInApi.setPassword(request).then(() => request),
    onSaved(request) {
      onClose();
      const alsoApps = request?.signOutEverywhere ? ', and all apps are disconnected' : '';
      showToast(`Password ${isSet ? 'changed' : 'set'}. You've been signed out everywhere else${alsoApps}.`);
    },
  });
  return (
    <Dialog title={isSet ? 'Change the password' : 'Set a password'} onClose={onClose}>
      <Form form={form} submit={isSet ? 'Change password' : 'Set password'} isDialog isFocused>
        <UsernameOf email={session.account.email} />
        <Inputs form={form} paths={['current', 'password', 'signOutEverywhere']} />
      </Form>
    </Dialog>
  );
}
