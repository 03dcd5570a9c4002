/*
 * The page of an invitation link. The email is fixed by the invitation; the new member chooses a password. The link that
 * `hooktape account create` prints leads here, too: it only sets the password of an account that exists.
 */

import { useState } from 'preact/hooks';
import { api } from '../kit/api.ts';
import { Button, Field, Notice, Skeleton } from '../kit/controls.tsx';
import { Link } from '../kit/navigation.tsx';
import { useQuery } from '../kit/use-query.ts';
import { AuthPage, minPasswordLength } from './auth-page.tsx';

type JoinProps = {
  token: string;
  /** The email of the account that is signed in, if any. */
  signedInAs: string | undefined;
  onDone: () => Promise<void>;
};

export function JoinPage({ token, signedInAs, onDone }: JoinProps) {
  const invitation = useQuery(token, () => api.invitation(token));
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      await api.acceptInvitation(token, password);
      await onDone();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  if (invitation.failures > 0 && !invitation.value) {
    return (
      <AuthPage title="Join the team" lead="Couldn't load the invitation.">
        <Notice tone="bad" action={<Button onClick={invitation.reload}>Try again</Button>}>
          {invitation.problem}
        </Notice>
      </AuthPage>
    );
  }
  if (invitation.problem) {
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
    ? 'Your account is ready. Choose a password to sign in.'
    : value && `${value.teamOf} invited you to their team on Hooktape.`;
  return (
    <AuthPage title={isOwnAccount ? 'Set your password' : 'Join the team'} lead={lead ?? ' '}>
      {!value ? (
        <Skeleton rows={3} />
      ) : (
        <form onSubmit={submit}>
          {problem && <Notice tone="bad">{problem}</Notice>}
          <Field
            label="Email"
            type="email"
            name="email"
            autocomplete="username"
            readOnly
            value={value.email}
            onText={() => {}}
          />
          <Field
            label="Choose a password"
            type="password"
            name="password"
            autocomplete="new-password"
            required
            minLength={minPasswordLength}
            value={password}
            onText={setPassword}
            hint={`At least ${minPasswordLength} characters.`}
          />
          <Button kind="primary" type="submit" busy={busy}>
            {isOwnAccount ? 'Set password' : 'Join'}
          </Button>
          {signedInAs && (
            <p class="faint">You're signed in as {signedInAs}. This signs you in to the other account instead.</p>
          )}
        </form>
      )}
    </AuthPage>
  );
}
