/* The principal of a request: who makes it, for which team, and with which credential. */

export const roles = ['owner', 'member'] as const;
export type Role = (typeof roles)[number];

export const plans = ['free', 'pro'] as const;
export type Plan = (typeof plans)[number];

/** Read from the database for each request, so that revocation and plan changes apply at once. */
export type Principal = {
  accountId: string;
  email: string;
  role: Role;
  teamId: string;
  plan: Plan;
  credential: { kind: 'key' | 'app' | 'session'; id: string };
  /** The connected app that acts for the account, with a token or with a key that it made; undefined for a person. */
  app: ActingApp | undefined;
  isReadOnly: boolean;
  /** Epoch ms from which the credential is no longer valid, if that is known. */
  validUntil?: number | undefined;
  /** Epoch ms at which the person last signed in with this session; undefined for an API key and an app. */
  signedInAt?: number | undefined;
};

/** `grantId` is null for an app of an external issuer. */
export type ActingApp = { id: string; grantId: string | null };

/** Decides which endpoints and events are visible: those of a team, as long as its plan keeps them. */
export type TeamAccess = Pick<Principal, 'teamId' | 'plan'>;

export type MemberAccess = TeamAccess & Pick<Principal, 'accountId'>;

export type AccountIdentity = Omit<Principal, 'credential' | 'app' | 'isReadOnly' | 'validUntil' | 'signedInAt'>;
