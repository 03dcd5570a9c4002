/* The layout of the pages for setup, sign-in and invitations, and the fields of an account. */

import type { ComponentChildren } from 'preact';
import { minPasswordCharacters } from '../../shared/limits.ts';
import { secret, text } from '../kit/fields.tsx';
import { Mark } from '../kit/icons.tsx';

export const AuthPage = ({ title, lead, children }: { title: string; lead?: string; children: ComponentChildren }) => (
  <main class="auth">
    <div class="auth-card col loose">
      <p class="auth-brand line">
        <Mark /> Hooktape
      </p>
      <h1>{title}</h1>
      {lead && <p class="lead">{lead}</p>}
      {children}
    </div>
  </main>
);

/** Password managers know the fields of an account by their names. */
export const emailField = text({
  label: 'Email',
  type: 'email',
  name: 'email',
  autocomplete: 'username webauthn',
  required: 'Enter your email.',
  autoFocus: true,
});

const rule = `At least ${minPasswordCharacters} characters.`;

/** A password that is chosen. @param advice after the rule that it has to keep */
export const newPasswordField = (label: string, advice = '') =>
  secret({
    label,
    name: 'password',
    autocomplete: 'new-password',
    required: rule,
    hint: `${rule} ${advice}`.trim(),
    check: typed => ([...typed].length < minPasswordCharacters ? rule : undefined),
  });

/** Tells password managers to which account the passwords of a form without an email field belong. */
export const UsernameOf = ({ email }: { email: string }) => (
  <div class="offscreen" aria-hidden="true">
    <input type="email" autocomplete="username" value={email} readOnly tabIndex={-1} />
  </div>
);
