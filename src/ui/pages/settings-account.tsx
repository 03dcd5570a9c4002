/* Account settings: profile, password and active sessions. */

import { useState } from 'preact/hooks';
import type { Session } from '../../features/sessions/model.ts';
import { ActionButton } from '../kit/action.tsx';
import { api } from '../kit/api.ts';
import { Button, Checkbox, Field, Notice } from '../kit/controls.tsx';
import { browserName } from '../kit/format/browser.ts';
import { Card, Facts, Loaded } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { showToast } from '../kit/toasts.tsx';
import { type Query, useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { minPasswordLength } from './auth-page.tsx';

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

function PasswordSection({ onChanged }: { onChanged: () => void }) {
  const { session } = useWorkspace();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [everywhere, setEverywhere] = useState(false);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      await api.changePassword(current, password, everywhere);
      setCurrent('');
      setPassword('');
      setEverywhere(false);
      onChanged();
      showToast(
        everywhere
          ? "Password changed. You've been signed out everywhere else, and all apps are disconnected."
          : "Password changed. You've been signed out everywhere else.",
      );
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <section class="card section">
      <h2>Password</h2>
      <form onSubmit={save}>
        {problem && <Notice tone="bad">{problem}</Notice>}
        <div class="offscreen" aria-hidden="true">
          <input type="email" autocomplete="username" value={session.account.email} readOnly tabIndex={-1} />
        </div>
        <div class="two">
          <Field
            label="Current password"
            type="password"
            autocomplete="current-password"
            required
            value={current}
            onText={setCurrent}
          />
          <Field
            label="New password"
            type="password"
            autocomplete="new-password"
            required
            minLength={minPasswordLength}
            value={password}
            onText={setPassword}
            hint={`At least ${minPasswordLength} characters. You'll be signed out on all other devices.`}
          />
        </div>
        <Checkbox
          label="Also disconnect all apps"
          hint="API keys keep working. You can revoke them under API keys."
          checked={everywhere}
          onChange={setEverywhere}
        />
        <Button type="submit" busy={busy}>
          Change password
        </Button>
      </form>
    </section>
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
