/* The sign-in page. Its error never reveals whether the email or the password was wrong. */

import { useState } from 'preact/hooks';
import { api } from '../kit/api.ts';
import { Button, Field, Notice } from '../kit/controls.tsx';
import { AuthPage } from './auth-page.tsx';

type LoginProps = {
  /** The session ended while a page was open. */
  hasExpired: boolean;
  onDone: () => Promise<void>;
};

export function LoginPage({ hasExpired, onDone }: LoginProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      await api.signIn(email, password);
      await onDone();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <AuthPage
      title="Sign in"
      lead={
        hasExpired
          ? 'Your session has expired. Sign in to pick up where you left off.'
          : 'Sign in to see your webhooks.'
      }
    >
      <form onSubmit={submit}>
        {problem && <Notice tone="bad">{problem}</Notice>}
        <Field
          label="Email"
          type="email"
          name="email"
          autocomplete="username"
          required
          value={email}
          onText={setEmail}
        />
        <Field
          label="Password"
          type="password"
          name="password"
          autocomplete="current-password"
          required
          value={password}
          onText={setPassword}
        />
        <Button kind="primary" type="submit" busy={busy}>
          Sign in
        </Button>
        <p class="faint">
          Forgot your password? Ask the administrator of this server to set a new one:{' '}
          <code>hooktape account password EMAIL --password-stdin</code>
        </p>
      </form>
    </AuthPage>
  );
}
