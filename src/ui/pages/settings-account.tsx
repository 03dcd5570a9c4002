/* Account settings: profile, password and active sessions. */

import type { Session } from '../../features/sessions/model.ts';
import { ActionButton } from '../kit/action.tsx';
import { api } from '../kit/api.ts';
import { flag, secret } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { browserName } from '../kit/format/browser.ts';
import { Card, Facts, Loaded } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { showToast } from '../kit/toasts.tsx';
import { type Query, useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { newPasswordField } from './auth-page.tsx';

export function AccountSection() {
  const { session } = useWorkspace();
  const sessions = useQuery('sessions', api.sessions);
  return (
    <>
      <Card title="Account">
        <Facts
          facts={[
            ['Email', session.account.email],
            ['Role', session.role === 'owner' ? 'Owner' : 'Member'],
            ['Created', <Time at={session.account.createdAt} long />],
            ['Hooktape', session.version],
          ]}
        />
      </Card>
      <PasswordSection onChanged={sessions.reload} />
      <SessionsSection sessions={sessions} />
    </>
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
type PasswordChange = { current: string; password: string; signOutEverywhere: boolean };

function PasswordSection({ onChanged }: { onChanged: () => void }) {
  const { session } = useWorkspace();
  const form = useForm({
    schema,
    initial: {},
    isNew: true,
    save: (request: PasswordChange) => api.changePassword(request).then(() => request),
    onSaved(request) {
      onChanged();
      const alsoApps = request?.signOutEverywhere ? ', and all apps are disconnected' : '';
      showToast(`Password changed. You've been signed out everywhere else${alsoApps}.`);
    },
  });
  return (
    <Card title="Password">
      <Form form={form} submit="Change password" submitKind="plain">
        <div class="offscreen" aria-hidden="true">
          <input type="email" autocomplete="username" value={session.account.email} readOnly tabIndex={-1} />
        </div>
        <div class="two">
          <Inputs form={form} paths={['current', 'password']} />
        </div>
        <Inputs form={form} paths={['signOutEverywhere']} />
      </Form>
    </Card>
  );
}

function SessionsSection({ sessions }: { sessions: Query<Session[]> }) {
  const revoke = async (id: string): Promise<void> => {
    await api.revokeSession(id);
    sessions.reload();
    showToast('Signed out of that session.');
  };
  return (
    <Card title="Active sessions">
      <Loaded query={sessions} what="the sessions" rows={2} inCard>
        {list => (
          <ul class="rows">
            {list.map(one => (
              <li key={one.id}>
                <div class="stack grow">
                  <strong title={one.userAgent ?? ''}>{browserName(one.userAgent)}</strong>
                  <span class="faint">
                    {one.sourceIp ?? 'unknown IP address'} · signed in <Time at={one.createdAt} long /> · last active{' '}
                    <Time at={one.lastSeenAt} long />
                  </span>
                </div>
                {one.current ? (
                  <span class="badge good">This device</span>
                ) : (
                  <ActionButton kind="quiet" act={() => revoke(one.id)}>
                    Sign out
                  </ActionButton>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
