/* Accounts. Every account is in exactly one team; a new account gets a team of its own unless it joins an existing one. */

import { checkPassword } from '../../core/access/password.ts';
import type { Plan } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { conflict, inField, invalidAt, missingField, notFound, unauthorized } from '../../core/errors.ts';
import { newId, type RandomBytes } from '../../core/ids/ids.ts';
import { readEmail } from '../../core/text.ts';
import type { Account, Me } from './model.ts';
import type { AccountRow, AccountStore } from './store.ts';

export type AccountService = ReturnType<typeof createAccountService>;

/** The account, what the new password ended, and the other ways to sign in, which stay. */
export type PasswordReset = Account & {
  sessionsEnded: number;
  grantsRevoked: number;
  keysRevoked: number;
  passkeys: number;
  oidc: boolean;
};

type PasswordHasher = { hash: (password: string) => Promise<string> };

export function createAccountService(options: {
  store: AccountStore;
  passwords: PasswordHasher;
  clock: Clock;
  random: RandomBytes;
  /** Called after the plan of a team changed, because its retention changes too. */
  onPlanChanged: () => void;
  /** Whether other processes use the same database, and may delete accounts. */
  isShared: boolean;
  /** Ends the access of all connected apps of the account. @returns how many grants there were */
  revokeGrants: (accountId: string) => Promise<number>;
  /** @returns how many keys there were */
  revokeKeys: (accountId: string) => Promise<number>;
  /** Whether a sign-in with the password of the account needs a one-time code. */
  hasTotp: (accountId: string) => Promise<boolean>;
  countPasskeys: (accountId: string) => Promise<number>;
  /** Whether people may sign in with a password. */
  passwordSignIn: boolean;
  /** Whether the account can sign in with the OpenID Connect provider. */
  isBound: (accountId: string) => Promise<boolean>;
  /** Called after an account was deleted, or its sessions ended. */
  onAccessEnded: () => void;
}) {
  const { store, passwords, clock, random, onPlanChanged, isShared, revokeGrants, revokeKeys } = options;
  const { hasTotp, countPasskeys, isBound, passwordSignIn, onAccessEnded } = options;
  let hasAccounts = false;
  /** Counts the starts and ends of removals, to detect a removal that overlaps a count of accounts. */
  let removals = 0;
  const toAccount = ({ id, email, plan, createdAt }: AccountRow): Account => ({ id, email, plan, createdAt });

  const emailOf = (email: string): string => inField(['email'], () => readEmail(email));

  const byEmail = async (email: string): Promise<AccountRow> => {
    const row = await store.byEmail(emailOf(email));
    if (!row) throw notFound(`account ${emailOf(email)}`);
    return row;
  };

  const insertFirst = async (email: string, passwordHash: string | null): Promise<AccountRow | undefined> => {
    const createdAt = clock.now();
    const team = { id: newId('team', createdAt, random), plan: 'pro' as const, createdAt };
    const account = { id: newId('acc', createdAt, random), email, passwordHash, createdAt, role: 'owner' as const };
    const created = await store.insertFirst(team, { ...account, teamId: team.id });
    return created ? { ...account, teamId: team.id, plan: team.plan } : undefined;
  };

  return {
    byEmail,
    toAccount,

    /** The account of the caller. @throws unauthorized when it was deleted after the request was authenticated */
    async account(id: string): Promise<Account> {
      const row = await store.byId(id);
      if (!row) throw unauthorized();
      return toAccount(row);
    },

    /** `account` with the ways to sign in. @throws unauthorized as `account` does */
    async me(id: string): Promise<Me> {
      const row = await store.byId(id);
      if (!row) throw unauthorized();
      const [oidc, passkeys, totp] = await Promise.all([isBound(id), countPasskeys(id), hasTotp(id)]);
      const password = passwordSignIn && row.passwordHash !== null;
      return { ...toAccount(row), signIn: { password, oidc, passkeys, totp } };
    },

    async list(): Promise<(Account & { role: string; teamId: string })[]> {
      return (await store.all()).map(row => ({ ...toAccount(row), role: row.role, teamId: row.teamId }));
    },

    /** Whether there is no account. Called for every request without credentials, so a positive count is remembered. */
    async isEmpty(): Promise<boolean> {
      if (hasAccounts) return false;
      const removalsBefore = removals;
      const isEmpty = (await store.count()) === 0;
      hasAccounts = !isEmpty && !isShared && removals === removalsBefore;
      return isEmpty;
    },

    /**
     * Creates the owner of a new team, or a member of the team that the account `teamOf` is in.
     * @throws invalid for a bad address or password, conflict when the address is taken, not_found for `teamOf`
     */
    async create(given: { email: string; plan?: Plan; teamOf?: string; password?: string }): Promise<Account> {
      const email = emailOf(given.email);
      if (given.teamOf !== undefined && given.plan !== undefined)
        throw invalidAt(['plan'], 'give a plan or a team, not both: a member has the plan of its team');
      const teammate = given.teamOf === undefined ? undefined : await byEmail(given.teamOf);
      const passwordHash =
        given.password === undefined ? null : await passwords.hash(checkPassword(given.password, email));
      const createdAt = clock.now();
      const id = newId('acc', createdAt, random);
      const plan = teammate?.plan ?? given.plan ?? 'free';
      const account = { id, email, passwordHash, createdAt };
      const teamId = teammate?.teamId ?? newId('team', createdAt, random);
      const created = teammate
        ? await store.insert({ ...account, teamId, role: 'member' })
        : await store.insertWithTeam({ id: teamId, plan, createdAt }, { ...account, teamId, role: 'owner' });
      if (!created) throw conflict(`there is already an account ${email}`);
      return { id, email, plan, createdAt };
    },

    /**
     * Creates the owner of a new installation, with plan `pro`. Of concurrent calls one succeeds.
     * @returns undefined when there is already an account
     * @throws invalid for a bad address or password, and without a password while people sign in with one
     */
    async createFirst({ email: given, password }: { email: string; password?: string }) {
      const email = emailOf(given);
      if (password === undefined && passwordSignIn) throw missingField('password');
      return insertFirst(email, password === undefined ? null : await passwords.hash(checkPassword(password, email)));
    },

    /** `createFirst` for a person who signs in another way. */
    createFirstWithoutPassword: async (email: string) => insertFirst(emailOf(email), null),

    /** Changes the plan of the account's whole team. @throws not_found */
    async setPlan(email: string, plan: Plan): Promise<Account> {
      const row = await byEmail(email);
      await store.setPlan(row.teamId, plan);
      onPlanChanged();
      return toAccount({ ...row, plan });
    },

    /**
     * For an account that may be compromised: ends its sessions and the access of its apps, and revokes its API keys unless
     * they are kept. The order matters: a session can authorize an app, and both can create a key. Passkeys and the binding to the
     * provider stay, because the person may have no other way in.
     * @throws not_found, invalid
     */
    async resetPassword(email: string, password: string, { keepKeys = false } = {}): Promise<PasswordReset> {
      const row = await byEmail(email);
      const hash = await passwords.hash(checkPassword(password, row.email));
      const sessionsEnded = await store.setPasswordHash(row.id, hash);
      try {
        const grantsRevoked = await revokeGrants(row.id);
        const keysRevoked = keepKeys ? 0 : await revokeKeys(row.id);
        const [passkeys, oidc] = await Promise.all([countPasskeys(row.id), isBound(row.id)]);
        return { ...toAccount(row), sessionsEnded, grantsRevoked, keysRevoked, passkeys, oidc };
      } finally {
        onAccessEnded();
      }
    },

    /**
     * Deletes the account. When the team has no owner left, its oldest member becomes owner.
     * @returns `emptyTeam`: the id of the team when it has no members left; its endpoints still exist
     * @throws not_found
     */
    async remove(email: string): Promise<{ account: Account; emptyTeam: string | undefined }> {
      const row = await byEmail(email);
      removals++;
      await store.remove(row.id);
      removals++;
      hasAccounts = false;
      onAccessEnded();
      const members = await store.membersOf(row.teamId);
      const oldest = members[0];
      if (oldest && !members.some(member => member.role === 'owner')) await store.setRole(oldest.id, 'owner');
      return { account: toAccount(row), emptyTeam: oldest ? undefined : row.teamId };
    },
  };
}
