/* Asks the user to sign in again, for a call that needs a recent sign-in. */

import type { SignedIn } from '../../features/sessions/model.ts';
import { api } from '../kit/api.ts';
import { Dialog } from '../kit/controls.tsx';
import { openDialog } from '../kit/dialogs.tsx';
import { currentLocation } from '../kit/navigation.tsx';
import { signInApi } from './sign-in-api.ts';
import { WaysToSignIn } from './ways.tsx';

let asked: Promise<boolean> | undefined;

/** Calls that need it at the same time share one dialog. @returns whether the user has signed in again */
export const signInAgain = (session: SignedIn): Promise<boolean> => {
  asked ??= ask(session).finally(() => {
    asked = undefined;
  });
  return asked;
};

async function ask(session: SignedIn): Promise<boolean> {
  const { signIn } = await signInApi.me();
  const { path, query } = currentLocation();
  const ways = {
    password: signIn.password,
    oidc: signIn.oidc ? session.ways.oidc : null,
    passkeys: signIn.passkeys > 0,
  };
  let isDone = false;
  await openDialog(close => {
    const onDone = async (): Promise<void> => {
      const { account } = await api.session();
      // A passkey of another account signs in to that account.
      if (account.id !== session.account.id) return location.reload();
      isDone = true;
      close();
    };
    return (
      <Dialog title="Sign in again" isPersistent onClose={close}>
        <p>To change how you sign in, sign in again. Your last sign-in was more than 10 minutes ago.</p>
        <WaysToSignIn
          ways={ways}
          email={session.account.email}
          returnTo={`${path}${query.size > 0 ? `?${query}` : ''}`}
          onDone={onDone}
        />
      </Dialog>
    );
  }, 'closed');
  return isDone;
}
