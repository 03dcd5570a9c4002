/* The sign-in page. Its error never reveals whether the email or the password was wrong. */

import { api } from '../kit/api.ts';
import { secret } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { AuthPage, emailField } from './auth-page.tsx';

const schema = {
  email: emailField,
  password: secret({
    label: 'Password',
    name: 'password',
    autocomplete: 'current-password',
    required: 'Enter your password.',
  }),
};

type LoginProps = {
  /** The session ended while a page was open. */
  hasExpired: boolean;
  onDone: () => Promise<void>;
};

export function LoginPage({ hasExpired, onDone }: LoginProps) {
  const form = useForm({
    schema,
    initial: {},
    isNew: true,
    save: ({ email, password }: { email: string; password: string }) => api.signIn(email, password).then(onDone),
  });
  return (
    <AuthPage
      title="Sign in"
      lead={
        hasExpired
          ? 'Your session has expired. Sign in to pick up where you left off.'
          : 'Sign in to see your webhooks.'
      }
    >
      <Form form={form} submit="Sign in">
        <Inputs form={form} paths={['email', 'password']} />
      </Form>
      <p class="faint">
        Forgot your password? Ask this server's operator to set a new one:{' '}
        <code>hooktape account password EMAIL --password-stdin</code>
      </p>
    </AuthPage>
  );
}
