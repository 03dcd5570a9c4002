/* Schemas of sign-in, password change and sessions. */

import { type Static, Type as t } from '@sinclair/typebox';
import { literals, nullable, textDocumentedAs } from '../../core/schemas.ts';
import { Password, Timestamp } from '../../http/schemas.ts';
import { maxPasswordBytes } from '../../shared/limits.ts';
import { tunnelPrograms } from '../../shared/tunnel.ts';
import { Account, Role } from '../accounts/model.ts';
import { secondFactorFields } from '../totp/model.ts';

/** It is only compared with the stored hash; the rules for passwords apply when a password is set. */
const GivenPassword = textDocumentedAs(t.String({ maxLength: maxPasswordBytes, format: 'password' }), {
  description: `at most ${maxPasswordBytes} bytes`,
});

export const SignIn = t.Object(
  { email: t.String(), password: GivenPassword, ...secondFactorFields },
  { title: 'SignIn', examples: [{ email: 'ada@example.com', password: 'a quiet river at noon' }] },
);

export const SignInError = t.Object(
  {
    error: t.String(),
    needs: t.Optional(
      t.Literal('totp', { description: 'the password is right: sign in again with it and a `code` or `recoveryCode`' }),
    ),
  },
  { title: 'SignInError' },
);

export const Ways = t.Object(
  {
    password: t.Boolean(),
    oidc: nullable(t.Object({ name: t.String() }, { description: 'the OpenID Connect provider, if there is one' })),
    passkeys: t.Boolean(),
  },
  { description: 'the ways to sign in of this installation' },
);
export type Ways = Static<typeof Ways>;

export const Tunnel = t.Object(
  {
    program: literals(tunnelPrograms),
    state: literals(['starting', 'up', 'down']),
    origin: nullable(t.String({ format: 'uri', description: 'the last public origin; ingest URLs begin with it' })),
    previousOrigin: nullable(
      t.String({ format: 'uri', description: 'the origin before, which platforms may still use' }),
    ),
    message: nullable(t.String({ description: 'what needs a look; null if nothing does' })),
  },
  { title: 'Tunnel', description: 'the program of HOOKTAPE_TUNNEL; absent while that is off' },
);
export type Tunnel = Static<typeof Tunnel>;

export const SignedIn = t.Object(
  {
    account: Account,
    role: Role,
    sessionId: nullable(t.String({ description: 'null for a request with a bearer token' })),
    setupRequired: t.Boolean(),
    version: t.String({ description: 'the version of Hooktape' }),
    newestVersion: t.Optional(
      t.String({
        description: 'a newer version, for owners; absent if there is none, or if HOOKTAPE_CHECK_UPDATES is off',
      }),
    ),
    tunnel: t.Optional(Tunnel),
    ways: Ways,
  },
  { title: 'SignedIn' },
);
export type SignedIn = Static<typeof SignedIn>;

export const SignedOut = t.Object(
  {
    error: t.String(),
    setupRequired: t.Optional(
      t.Boolean({ description: 'true while there is no account yet; absent when a bearer token was refused' }),
    ),
    ways: t.Optional({ ...Ways, description: 'the ways to sign in; absent when a bearer token was refused' }),
  },
  { title: 'SignedOut' },
);

export const SessionEnded = t.Object(
  {
    ok: t.Boolean(),
    endSessionUrl: nullable(
      t.String({
        format: 'uri',
        description: 'where the browser also signs out of the provider that it signed in with',
      }),
    ),
  },
  { title: 'SessionEnded' },
);
export type SessionEnded = Static<typeof SessionEnded>;

export const PasswordChange = t.Object(
  {
    current: t.Optional(GivenPassword),
    password: Password,
    signOutEverywhere: t.Optional(
      t.Boolean({
        default: false,
        description: 'true also ends the access of all connected apps; API keys stay valid',
      }),
    ),
  },
  { title: 'PasswordChange', examples: [{ current: 'a quiet river at noon', password: 'a wide meadow at dawn' }] },
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
