/*
 * People. An account is a person; a team is who owns endpoints; every account is in exactly one team, alone unless it was
 * put into another's.
 */

import type { Clock } from '../../core/clock.ts';
import { conflict, invalid, notFound, unauthorized } from '../../core/errors.ts';
import { newId, type RandomBytes } from '../../core/ids.ts';
import { checkPassword } from '../../core/password.ts';
import type { Plan } from '../../core/principal.ts';
import { readEmail } from '../../core/text.ts';
import type { Account } from './model.ts';
import type { AccountRow, AccountStore } from './store.ts';

export type AccountService = ReturnType<typeof createAccountService>;

/** The account, and what its new password has ended. */
export type PasswordReset = Account & { sessionsEnded: number; grantsRevoked: number; keysRevoked: number };

export type PasswordHasher = { hash: (password: string) => Promise<string> };

export function createAccountService(options: {
  store: AccountStore;
  passwords: PasswordHasher;
  clock: Clock;
  random: RandomBytes;
  /** Told after a team's plan became another: its retention window is another, too. */
  onPlanChanged: () => void;
  /** Other processes may delete accounts, too. */
  isShared: boolean;
  /** Ends the access of all apps that the person let in. @returns how many grants that were */
  revokeGrants: (accountId: string) => Promise<number>;
  /** @returns how many keys there were */
  revokeKeys: (accountId: string) => Promise<number>;
  /** Called after an account was deleted, or its sessions ended. */
  onAccessEnded: () => void;
}) {
  const { store, passwords, clock, random, onPlanChanged, isShared, revokeGrants, revokeKeys } = options;
  const { onAccessEnded } = options;
  let hasAccounts = false;
  /** Counted before and after each: a count of accounts that ran meanwhile is not relied on. */
  let removals = 0;
  const toAccount = ({ id, email, plan, createdAt }: AccountRow): Account => ({ id, email, plan, createdAt });

  const byEmail = async (email: string): Promise<AccountRow> => {
    const row = await store.byEmail(readEmail(email));
    if (!row) throw notFound(`account ${readEmail(email)}`);
    return row;
  };

  return {
    byEmail,
    toAccount,

    /** Whoever asks. @throws unauthorized when the account was deleted meanwhile: its credentials went with it */
    async account(id: string): Promise<Account> {
      const row = await store.byId(id);
      if (!row) throw unauthorized();
      return toAccount(row);
    },

    async list(): Promise<(Account & { role: string; teamId: string })[]> {
      return (await store.all()).map(row => ({ ...toAccount(row), role: row.role, teamId: row.teamId }));
    },

    /** Asked by everybody who is not signed in: once there is an account, the database need not be asked again. */
    async isEmpty(): Promise<boolean> {
      if (hasAccounts) return false;
      const removalsBefore = removals;
      const isEmpty = (await store.count()) === 0;
      hasAccounts = !isEmpty && !isShared && removals === removalsBefore;
      return isEmpty;
    },

    /**
     * A new account: owner of a team of its own, or member of the team of `teamOf`.
     * @throws invalid for a bad address or password, conflict when the address is taken, not_found for `teamOf`
     */
    async create(given: { email: string; plan?: Plan; teamOf?: string; password?: string }): Promise<Account> {
      const email = readEmail(given.email);
      if (given.teamOf !== undefined && given.plan !== undefined)
        throw invalid('a member has the plan of its team: give a plan or a team, not both');
      const host = given.teamOf === undefined ? undefined : await byEmail(given.teamOf);
      const passwordHash =
        given.password === undefined ? null : await passwords.hash(checkPassword(given.password, email));
      const createdAt = clock.now();
      const id = newId('acc', createdAt, random);
      const plan = host?.plan ?? given.plan ?? 'free';
      const account = { id, email, passwordHash, createdAt };
      const teamId = host?.teamId ?? newId('team', createdAt, random);
      const created = host
        ? await store.insert({ ...account, teamId, role: 'member' })
        : await store.insertWithTeam({ id: teamId, plan, createdAt }, { ...account, teamId, role: 'owner' });
      if (!created) throw conflict(`there is already an account ${email}`);
      return { id, email, plan, createdAt };
    },

    /**
     * The owner of a new installation, plan `pro`; undefined when there is an account already. Two at once: one wins.
     * @throws invalid for a bad address or password
     */
    async createFirst(given: {
      email: string;
      password: string;
    }): Promise<(AccountRow & { passwordHash: string }) | undefined> {
      const email = readEmail(given.email);
      const passwordHash = await passwords.hash(checkPassword(given.password, email));
      const createdAt = clock.now();
      const team = { id: newId('team', createdAt, random), plan: 'pro' as const, createdAt };
      const account = { id: newId('acc', createdAt, random), email, passwordHash, createdAt, role: 'owner' as const };
      const created = await store.insertFirst(team, { ...account, teamId: team.id });
      return created ? { ...account, teamId: team.id, plan: team.plan } : undefined;
    },

    /** Applies to the whole team, at once. @throws not_found */
    async setPlan(email: string, plan: Plan): Promise<Account> {
      const row = await byEmail(email);
      await store.setPlan(row.teamId, plan);
      onPlanChanged();
      return toAccount({ ...row, plan });
    },

    /**
     * For the operator, when the account may be in wrong hands: ends its sessions and the access of its apps, and revokes its
     * API keys unless they are kept. In this order, because a session can let in an app, and either can make a key.
     * @throws not_found, invalid
     */
    async resetPassword(email: string, password: string, { keepKeys = false } = {}): Promise<PasswordReset> {
      const row = await byEmail(email);
      const hash = await passwords.hash(checkPassword(password, row.email));
      const sessionsEnded = await store.setPasswordHash(row.id, hash);
      const grantsRevoked = await revokeGrants(row.id);
      const keysRevoked = keepKeys ? 0 : await revokeKeys(row.id);
      onAccessEnded();
      return { ...toAccount(row), sessionsEnded, grantsRevoked, keysRevoked };
    },

    /**
     * Deletes the person. A team that is left without an owner gets its oldest member as owner.
     * @returns the team when nobody is left in it, whose endpoints then have no one
     * @throws not_found
     */
    async remove(email: string): Promise<{ account: Account; emptyTeam: string | undefined }> {
      const row = await byEmail(email);
      removals++;
      await store.remove(row.id);
      removals++;
      hasAccounts = false;
      onAccessEnded();
      const left = await store.membersOf(row.teamId);
      const heir = left[0];
      if (heir && !left.some(member => member.role === 'owner')) await store.setRole(heir.id, 'owner');
      return { account: toAccount(row), emptyTeam: heir ? undefined : row.teamId };
    },
  };
}
