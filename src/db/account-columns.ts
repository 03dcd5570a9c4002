/* The columns that identify the account behind a credential; the query joins `accounts` and `teams`. */
import { accounts, teams } from './schema.ts';

export type AccountIdentity = {
  accountId: string;
  email: string;
  role: 'owner' | 'member';
  teamId: string;
  plan: 'free' | 'pro';
};

export const accountColumns = {
  accountId: accounts.id,
  email: accounts.email,
  role: accounts.role,
  teamId: teams.id,
  plan: teams.plan,
};
