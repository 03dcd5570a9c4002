/* Sign-in on the wire. */
import { type Static, Type as t } from '@sinclair/typebox';
import { maxPasswordBytes } from '../../core/password.ts';
import { Account, described, nullable, Password, Role, Timestamp } from '../../http/schemas.ts';

/** Whatever it is, it is compared: what makes a good password is asked when one is set. */
const GivenPassword = described(t.String({ maxLength: maxPasswordBytes, format: 'password' }), {
  description: `at most ${maxPasswordBytes} bytes`,
});

export const SignIn = t.Object({ email: t.String(), password: GivenPassword }, { title: 'SignIn' });

export const SignedIn = t.Object(
  {
    account: Account,
    role: Role,
    sessionId: nullable(t.String({ description: 'null for a call with a bearer token' })),
    setupRequired: t.Boolean(),
    version: t.String({ description: 'of this Hooktape' }),
  },
  { title: 'SignedIn' },
);
export type SignedIn = Static<typeof SignedIn>;

export const SignedOut = t.Object(
  {
    error: t.String(),
    setupRequired: t.Optional(
      t.Boolean({ description: 'true while there is no account at all; absent when a bearer token was refused' }),
    ),
  },
  { title: 'SignedOut' },
);

export const PasswordChange = t.Object(
  {
    current: GivenPassword,
    password: Password,
    signOutEverywhere: t.Optional(
      t.Boolean({ default: false, description: 'true: the access of all connected apps ends, too; API keys stay' }),
    ),
  },
  { title: 'PasswordChange' },
);

export const Session = t.Object(
  {
    id: t.String(),
    current: t.Boolean(),
    userAgent: t.String(),
    sourceIp: t.String(),
    createdAt: Timestamp,
    lastSeenAt: Timestamp,
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;
export const SessionList = t.Object({ sessions: t.Array(Session) }, { title: 'SessionList' });
