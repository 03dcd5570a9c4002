/* First run: the one-time setup link creates the owner's account and a first endpoint, then opens that endpoint. */

import { api } from '../kit/api.ts';
import { Button, Empty } from '../kit/controls.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { Link, navigate } from '../kit/navigation.tsx';
import { AuthPage, emailField, newPasswordField } from '../sign-in/auth-page.tsx';

const schema = {
  email: emailField,
  password: newPasswordField('Password', 'A few unrelated words make a good password.'),
};

type SetupProps = {
  token: string;
  hasPassword: boolean;
  /** An account already exists. */
  isUsed: boolean;
  onDone: () => Promise<void>;
};

/** The server marks a page whose setup link is not valid. */
const isWrong = document.querySelector('meta[name="setup-link"]') !== null;

export function SetupPage({ token, hasPassword, isUsed, onDone }: SetupProps) {
  const form = useForm({
    schema,
    applies: path => hasPassword || path !== 'password',
    async save({ email, password }: { email: string; password?: string }) {
      const { endpoint } = await api.setUp(token, email, password);
      await onDone();
      navigate(`/app/endpoints/${endpoint.id}`, { replace: true });
    },
  });
  if (isUsed && !form.isBusy) {
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
  if (!token || isWrong) {
    return (
      <AuthPage
        title={token ? "This setup link isn't valid" : 'This setup link is incomplete'}
        lead={
          token
            ? 'Use the one that the server printed when it last started.'
            : "The part after ?token= is missing. Copy the whole link from the server's output."
        }
      >
        <Link to="/login" class="button plain">
          Sign in instead
        </Link>
      </AuthPage>
    );
  }
  return (
    <AuthPage title="Set up Hooktape" lead="Create the owner account. You can invite others later.">
      <Form form={form} submit="Create account">
        <Inputs form={form} paths={['email', 'password']} />
      </Form>
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
