/* The ways in which a session begins, and what is known of each when it does. */

export const signInWays = ['password', 'oidc', 'passkey', 'link', 'header'] as const;
export type SignInWay = (typeof signInWays)[number];

/** What a sign-in rests on. The statement that inserts the session checks it again, because it may have ended in between. */
export type SignInProof =
  | { way: 'password'; passwordHash: string }
  /** `idToken`: sealed, for the sign-out at the provider. */
  | { way: 'oidc'; issuer: string; subject: string; idToken: Buffer }
  | { way: 'passkey'; id: string }
  /** A sign-in link is used up. Without `hash`: the setup link or an invitation, which is used up already. */
  | { way: 'link'; hash?: Buffer }
  | { way: 'header' };

export type SignInResult = 'ok' | 'refused';
