/* The ways in which a session begins, and what is known of each when it does. */

export const signInWays = ['password', 'oidc', 'passkey', 'link', 'header'] as const;
export type SignInWay = (typeof signInWays)[number];

/**
 * What a sign-in was found to rest on. It is looked at again in the statement that inserts the session, so a password, a binding or a
 * passkey that ended in the meantime starts none.
 */
export type SignInProof =
  | { way: 'password'; passwordHash: string }
  /** `idToken`: sealed, for the sign-out at the provider. */
  | { way: 'oidc'; issuer: string; subject: string; idToken: Buffer }
  | { way: 'passkey'; id: string }
  /** A sign-in link is used up. Without `hash`: the setup link or an invitation, which is used up already. */
  | { way: 'link'; hash?: Buffer }
  | { way: 'header' };

export type SignInResult = 'ok' | 'refused';
