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
  /** How the request was authenticated. */
  credential: { kind: 'key' | 'app' | 'session'; id: string };
  /** The connected app that acts for the account, with a token or with a key that it made; undefined for a person. */
  app: ActingApp | undefined;
  /** Whether the credential is an API key that may only read. */
  isReadOnly: boolean;
  /** Epoch ms from which the credential is no longer valid, if that is known. */
  validUntil?: number | undefined;
  /** Epoch ms at which the person last signed in with this session; undefined for an API key and an app. */
  signedInAt?: number | undefined;
};

/** `grantId` is null for an app of an external issuer. */
export type ActingApp = { id: string; grantId: string | null };

/**
 * The fields that decide which endpoints and events are visible: they belong to a team, and its plan limits how long events are
 * kept.
 */
export type TeamAccess = Pick<Principal, 'teamId' | 'plan'>;

/** `TeamAccess` with the account, for limits of concurrent requests. */
export type MemberAccess = TeamAccess & Pick<Principal, 'accountId'>;

/** The part of a principal that every credential of an account has in common. */
export type AccountIdentity = Omit<Principal, 'credential' | 'app' | 'isReadOnly' | 'validUntil' | 'signedInAt'>;
