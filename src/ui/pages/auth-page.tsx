/* The layout of the pages for setup, sign-in and invitations. */

import type { ComponentChildren } from 'preact';
import { Mark } from '../kit/icons.tsx';

export const AuthPage = ({ title, lead, children }: { title: string; lead: string; children: ComponentChildren }) => (
  <main class="auth">
    <div class="auth-card">
      <p class="auth-brand">
        <Mark /> Hooktape
      </p>
      <h1>{title}</h1>
      <p class="lead">{lead}</p>
      {children}
    </div>
  </main>
);

export const minPasswordLength = 12;
