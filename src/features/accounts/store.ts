/* Accounts, each with the team that it is in. */
import { and, asc, eq, exists, isNull, ne, notExists } from 'drizzle-orm';
import type { Plan, Role } from '../../core/access/principal.ts';
import { pick } from '../../core/pick.ts';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { accounts, sessions, teams } from '../../db/schema.ts';
import { isUniqueViolation } from '../../db/unique-violation.ts';

const columns = {
  ...pick(accounts, 'id', 'teamId', 'email', 'role', 'passwordHash', 'createdAt'),
  plan: teams.plan,
};

export type AccountStore = ReturnType<typeof createAccountStore>;
export type AccountRow = Pick<
  typeof accounts.$inferSelect,
  'id' | 'teamId' | 'email' | 'role' | 'passwordHash' | 'createdAt'
> & { plan: Plan };

export function createAccountStore(db: Drizzle) {
  const selectAccounts = () => db.select(columns).from(accounts).innerJoin(teams, eq(teams.id, accounts.teamId));
  return {
    byId: (id: string): Promise<AccountRow | undefined> => selectAccounts().where(eq(accounts.id, id)).get(),
    byEmail: (email: string): Promise<AccountRow | undefined> =>
      selectAccounts().where(eq(accounts.email, email)).get(),
    all: (): Promise<AccountRow[]> => selectAccounts().orderBy(asc(accounts.createdAt), asc(accounts.id)),
    count: async (): Promise<number> => db.$count(accounts),

    /** Inserts a team and its first account in one transaction; false when the address is taken. */
    async insertWithTeam(team: typeof teams.$inferInsert, account: typeof accounts.$inferInsert): Promise<boolean> {
      return unlessTaken(() => db.batch([db.insert(teams).values(team), db.insert(accounts).values(account)]));
    },
    /** @returns false when the address is taken */
    async insert(account: typeof accounts.$inferInsert): Promise<boolean> {
      return unlessTaken(() => db.insert(accounts).values(account));
    },
    /** Inserts a team and the first account of the installation; false when there is already an account. */
    async insertFirst(team: typeof teams.$inferInsert, account: typeof accounts.$inferInsert): Promise<boolean> {
      const isEmpty = notExists(db.select({ id: accounts.id }).from(accounts));
      const [, inserted] = await db.batch([
        insertIf(db, teams, team, isEmpty),
        insertIf(db, accounts, account, isEmpty),
      ]);
      return inserted.rowsAffected === 1;
    },
    async setPlan(teamId: string, plan: Plan): Promise<void> {
      await db.update(teams).set({ plan }).where(eq(teams.id, teamId));
    },
    /** Also ends the account's sessions except the given one, in the same transaction. @returns how many it ended */
    async setPasswordHash(id: string, passwordHash: string, exceptSession = ''): Promise<number> {
      const [, ended] = await db.batch([
        db.update(accounts).set({ passwordHash }).where(eq(accounts.id, id)),
        db.delete(sessions).where(and(eq(sessions.accountId, id), ne(sessions.id, exceptSession))),
      ]);
      return ended.rowsAffected;
    },
    /** Like `setPasswordHash`, for an account without a password. @returns false, with nothing changed, when it has one */
    async setFirstPasswordHash(id: string, passwordHash: string, exceptSession = ''): Promise<boolean> {
      const isWithout = and(eq(accounts.id, id), isNull(accounts.passwordHash));
      const condition = exists(db.select({ id: accounts.id }).from(accounts).where(isWithout));
      const [, changed] = await db.batch([
        db.delete(sessions).where(and(eq(sessions.accountId, id), ne(sessions.id, exceptSession), condition)),
        db.update(accounts).set({ passwordHash }).where(isWithout),
      ]);
      return changed.rowsAffected === 1;
    },
    /** Foreign keys delete its API keys, sessions and grants. Its replays are kept without a name. */
    async remove(id: string): Promise<void> {
      await db.delete(accounts).where(eq(accounts.id, id));
    },
    membersOf: (teamId: string): Promise<AccountRow[]> =>
      selectAccounts().where(eq(accounts.teamId, teamId)).orderBy(asc(accounts.createdAt), asc(accounts.id)),
    async setRole(id: string, role: Role): Promise<void> {
      await db.update(accounts).set({ role }).where(eq(accounts.id, id));
    },
  };
}

async function unlessTaken(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}
