/* The account of a person, with the plan of its team. */
import { type Static, Type as t } from '@sinclair/typebox';
import { plans, roles } from '../../core/access/principal.ts';
import { literals } from '../../core/schemas.ts';
import { Timestamp } from '../../http/schemas.ts';

export const Plan = literals(plans);
export const Role = literals(roles);

export const Account = t.Object(
  { id: t.String(), email: t.String(), plan: Plan, createdAt: Timestamp },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;

export const SignInWays = t.Object(
  {
    password: t.Boolean(),
    oidc: t.Boolean({ description: 'whether it is bound to an account of the OpenID Connect provider' }),
    passkeys: t.Integer({ minimum: 0, format: 'int32', description: 'how many there are' }),
    totp: t.Boolean({ description: 'whether a sign-in with the password also needs a one-time code' }),
  },
  { title: 'SignInWays', description: 'how the person can sign in' },
);
export type SignInWays = Static<typeof SignInWays>;

export const Me = t.Object({ ...Account.properties, signIn: SignInWays }, { title: 'Me' });
export type Me = Static<typeof Me>;
