/* The sign-in page. Its error never reveals whether the email or the password was wrong. */

import { useState } from 'preact/hooks';
import { ApiError, api } from '../kit/api.ts';
import { secret, text } from '../kit/fields.tsx';
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
  code: text({
    label: 'One-time code',
    hint: 'From your authenticator app, or one of your recovery codes.',
    autocomplete: 'one-time-code',
  }),
};

type LoginProps = {
  /** The session ended while a page was open. */
  hasExpired: boolean;
  onDone: () => Promise<void>;
};

export function LoginPage({ hasExpired, onDone }: LoginProps) {
  const [needsCode, setNeedsCode] = useState(false);
  const form = useForm({
    schema,
    initial: {},
    isNew: true,
    save: ({ email, password, code }: { email: string; password: string; code?: string | null }) =>
      api.signIn(email, password, code ?? '').then(onDone, (error: unknown) => {
        if (error instanceof ApiError && error.body['needs'] === 'totp') setNeedsCode(true);
        throw error;
      }),
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
        <Inputs form={form} paths={['email', 'password', ...(needsCode ? (['code'] as const) : [])]} />
      </Form>
      <p class="faint">
        Forgot your password? Ask this server's operator to set a new one:{' '}
        <code>hooktape account password EMAIL --password-stdin</code>
      </p>
    </AuthPage>
  );
}
