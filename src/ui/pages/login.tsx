/* The sign-in page. It shows the ways to sign in that this server has, and nothing else. */

import type { Ways } from '../../features/sessions/model.ts';
import { AuthPage } from '../sign-in/auth-page.tsx';
import { WaysToSignIn } from '../sign-in/ways.tsx';

type LoginProps = {
  ways: Ways;
  /** The session ended while a page was open. */
  hasExpired: boolean;
  /** The path of the page to open after signing in. */
  returnTo: string;
  onDone: () => Promise<void>;
};

export const LoginPage = ({ ways, hasExpired, returnTo, onDone }: LoginProps) => (
  <AuthPage title="Sign in" lead={hasExpired ? 'Your session has expired. Sign in to pick up where you left off.' : ''}>
    <WaysToSignIn ways={ways} returnTo={returnTo} onDone={onDone} />
    <p class="faint">Can't sign in? Ask an administrator of this server for a sign-in link.</p>
  </AuthPage>
);
