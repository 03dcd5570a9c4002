/* First run: the one-time setup link creates the owner's account and a first endpoint, then opens that endpoint. */

import { useState } from 'preact/hooks';
import { api } from '../kit/api.ts';
import { Button, Empty, Field, Notice } from '../kit/controls.tsx';
import { Link, navigate } from '../kit/navigation.tsx';
import { AuthPage, minPasswordLength } from './auth-page.tsx';

type SetupProps = {
  token: string;
  /** An account already exists. */
  isUsed: boolean;
  onDone: () => Promise<void>;
};

export function SetupPage({ token, isUsed, onDone }: SetupProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  if (isUsed && !busy) {
    return (
      <AuthPage
        title="Hooktape is already set up"
        lead="A setup link works only once. Sign in, or ask the owner for an invite link."
      >
        <Link to="/app" class="button plain">
          Go to the dashboard
        </Link>
      </AuthPage>
    );
  }
  if (!token) {
    return (
      <AuthPage
        title="This setup link is incomplete"
        lead="The part after ?token= is missing. Copy the whole link from the server's output."
      >
        <Link to="/login" class="button plain">
          Sign in instead
        </Link>
      </AuthPage>
    );
  }
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      const { endpoint } = await api.setUp(token, email, password);
      await onDone();
      navigate(`/app/endpoints/${endpoint.id}`, { replace: true });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <AuthPage title="Set up Hooktape" lead="Create the owner account. You can invite others later.">
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
          autocomplete="new-password"
          required
          minLength={minPasswordLength}
          value={password}
          onText={setPassword}
          hint={`At least ${minPasswordLength} characters. A few unrelated words make a good password.`}
        />
        <Button kind="primary" type="submit" busy={busy}>
          Create account
        </Button>
      </form>
    </AuthPage>
  );
}

export const WaitingForSetupPage = () => (
  <main class="centred">
    <Empty
      isPage
      title="Hooktape isn't set up yet"
      action={
        <Button kind="primary" onClick={() => location.reload()}>
          I've set it up
        </Button>
      }
    >
      Open the setup link in the server's output. The server prints it each time it starts, until someone uses it.
    </Empty>
  </main>
);
