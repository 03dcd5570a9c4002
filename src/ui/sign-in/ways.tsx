/* The ways to sign in: the provider, a passkey, and the password with a one-time code. */

import { useState } from 'preact/hooks';
import type { Ways } from '../../features/sessions/model.ts';
import { ApiError } from '../kit/api.ts';
import { Button, Notice } from '../kit/controls.tsx';
import { secret, text } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { messageOf } from '../kit/toasts.tsx';
import { emailField, UsernameOf } from './auth-page.tsx';
import { canUsePasskeys, signInWithPasskey, usePasskeySuggestions } from './passkeys.ts';
import { signInApi } from './sign-in-api.ts';

type WaysToSignInProps = {
  ways: Ways;
  /** The account that signs in again. Without it, the email is asked for. */
  email?: string;
  /** The path that the provider leads back to. */
  returnTo: string;
  onDone: () => Promise<unknown>;
};

export function WaysToSignIn({ ways, email, returnTo, onDone }: WaysToSignInProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const hasPasskeys = ways.passkeys && canUsePasskeys();
  const isAlone = !ways.password;
  usePasskeySuggestions(hasPasskeys && ways.password && email === undefined && !isBusy, {
    onSignedIn: onDone,
    onProblem: setProblem,
  });
  const onPasskey = async (): Promise<void> => {
    setIsBusy(true);
    setProblem('');
    try {
      await signInWithPasskey();
      await onDone();
    } catch (error) {
      setProblem(messageOf(error));
    }
    setIsBusy(false);
  };
  return (
    <>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {ways.oidc && (
        <a
          class={`button ${isAlone ? 'primary' : ''}`}
          autofocus={isAlone}
          href={`/login/oidc?return_to=${encodeURIComponent(returnTo)}`}
        >
          Continue with {ways.oidc.name}
        </a>
      )}
      {hasPasskeys && (
        <Button
          icon="key"
          kind={isAlone && !ways.oidc ? 'primary' : 'plain'}
          autofocus={isAlone && !ways.oidc}
          busy={isBusy}
          onClick={onPasskey}
        >
          Sign in with a passkey
        </Button>
      )}
      {ways.password && (ways.oidc || hasPasskeys) && <p class="or line loose small faint">or</p>}
      {ways.password && <PasswordForm email={email} onDone={onDone} />}
      {!ways.password && !ways.oidc && !hasPasskeys && (
        <Notice>Open Hooktape through the proxy that signs you in, or ask for a sign-in link.</Notice>
      )}
    </>
  );
}

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
    autoFocus: true,
  }),
};
type Given = { email: string; password: string; code?: string | null };

/** Its error never reveals whether the email or the password was wrong. */
function PasswordForm({ email, onDone }: { email: string | undefined; onDone: () => Promise<unknown> }) {
  const [needsCode, setNeedsCode] = useState(false);
  const form = useForm({
    schema,
    initial: { email },
    applies: path => path !== 'code' || needsCode,
    staysFilled: true,
    save: ({ email: given, password, code }: Given) =>
      signInApi.signIn(given, password, code ?? '').then(onDone, (error: unknown) => {
        const isAskedFor = error instanceof ApiError && error.body['needs'] === 'totp';
        if (!isAskedFor || needsCode) throw error;
        setNeedsCode(true);
      }),
  });
  return (
    <Form form={form} submit="Sign in" isDialog={email !== undefined} isFocused={email !== undefined}>
      {email !== undefined && <UsernameOf email={email} />}
      <Inputs form={form} paths={email === undefined ? ['email', 'password', 'code'] : ['password', 'code']} />
    </Form>
  );
}
