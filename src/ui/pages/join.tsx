/* The page of an invitation link. The link that `hooktape account create` prints leads here, too: it only sets the password. */

import { api } from '../kit/api.ts';
import { Field } from '../kit/controls.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { Link } from '../kit/navigation.tsx';
import { Loaded } from '../kit/page.tsx';
import { useQuery } from '../kit/use-query.ts';
import { AuthPage, newPasswordField } from '../sign-in/auth-page.tsx';

const schema = { password: newPasswordField('Choose a password') };

type JoinProps = {
  token: string;
  hasPassword: boolean;
  /** The email of the account that is signed in, if any. */
  signedInAs: string | undefined;
  onDone: () => Promise<void>;
};

export function JoinPage({ token, hasPassword, signedInAs, onDone }: JoinProps) {
  const invitation = useQuery(token, () => api.invitation(token));
  const form = useForm({
    schema,
    applies: () => hasPassword,
    save: ({ password }: { password?: string }) => api.acceptInvitation(token, password).then(onDone),
  });
  if (invitation.problem && invitation.failures === 0) {
    return (
      <AuthPage
        title="This invite link no longer works"
        lead="It was used, replaced or withdrawn, or it's more than three days old. Ask for a new link."
      >
        <Link to="/login" class="button plain">
          Sign in
        </Link>
      </AuthPage>
    );
  }
  const { value } = invitation;
  const isOwnAccount = value !== undefined && value.teamOf === value.email;
  const lead = isOwnAccount
    ? `Your account is ready. ${hasPassword ? 'Choose a password to sign in.' : ''}`
    : value && `${value.teamOf} invited you to their team on Hooktape.`;
  return (
    <AuthPage
      title={isOwnAccount ? (hasPassword ? 'Set your password' : 'Sign in') : 'Join the team'}
      lead={lead ?? ''}
    >
      <Loaded query={invitation} what="the invitation" inCard>
        {({ email }) => (
          <Form form={form} submit={isOwnAccount ? (hasPassword ? 'Set password' : 'Sign in') : 'Join'}>
            <Field
              label="Email"
              type="email"
              name="email"
              autocomplete="username"
              readOnly
              value={email}
              onText={() => {}}
            />
            <Inputs form={form} paths={['password']} />
          </Form>
        )}
      </Loaded>
      {value && signedInAs && (
        <p class="faint">You're signed in as {signedInAs}. This signs you in to the other account instead.</p>
      )}
    </AuthPage>
  );
}
