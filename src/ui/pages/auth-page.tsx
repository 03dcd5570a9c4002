/* The layout of the pages for setup, sign-in and invitations. */

import type { ComponentChildren } from 'preact';
import { minPasswordCharacters } from '../../shared/limits.ts';
import { secret, text } from '../kit/fields.tsx';
import { Mark } from '../kit/icons.tsx';

export const AuthPage = ({ title, lead, children }: { title: string; lead: string; children: ComponentChildren }) => (
  <main class="auth">
    <div class="auth-card col">
      <p class="auth-brand line">
        <Mark /> Hooktape
      </p>
      <h1>{title}</h1>
      <p class="lead">{lead}</p>
      {children}
    </div>
  </main>
);

/** The fields of an account. Password managers know them by their names. */
export const emailField = text({
  label: 'Email',
  type: 'email',
  name: 'email',
  autocomplete: 'username',
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
