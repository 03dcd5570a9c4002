/* Accounts and the teams that they are in. */
import { asc, eq, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { accounts, teams } from '../../db/schema.ts';

export type AccountRow = {
  id: string;
  teamId: string;
  email: string;
  role: 'owner' | 'member';
  plan: 'free' | 'pro';
  passwordHash: string | null;
  createdAt: number;
};

const columns = {
  id: accounts.id,
  teamId: accounts.teamId,
  email: accounts.email,
  role: accounts.role,
  plan: teams.plan,
  passwordHash: accounts.passwordHash,
  createdAt: accounts.createdAt,
};

export type AccountStore = ReturnType<typeof createAccountStore>;

export function createAccountStore(db: Drizzle) {
  const joined = () => db.select(columns).from(accounts).innerJoin(teams, eq(teams.id, accounts.teamId));
  return {
    byId: async (id: string): Promise<AccountRow | undefined> => (await joined().where(eq(accounts.id, id)))[0],
    byEmail: async (email: string): Promise<AccountRow | undefined> =>
      (await joined().where(eq(accounts.email, email)))[0],
    all: (): Promise<AccountRow[]> => joined().orderBy(asc(accounts.createdAt), asc(accounts.id)),
    count: async (): Promise<number> => (await db.select({ n: sql<number>`count(*)` }).from(accounts))[0]?.n ?? 0,

    /** A team and its first account in one transaction; false when the address is taken. */
    async insertWithTeam(team: typeof teams.$inferInsert, account: typeof accounts.$inferInsert): Promise<boolean> {
      return unlessTaken(() => db.batch([db.insert(teams).values(team), db.insert(accounts).values(account)]));
    },
    async insert(account: typeof accounts.$inferInsert): Promise<boolean> {
      return unlessTaken(() => db.insert(accounts).values(account));
    },
    async setPlan(teamId: string, plan: 'free' | 'pro'): Promise<void> {
      await db.update(teams).set({ plan }).where(eq(teams.id, teamId));
    },
    async setPasswordHash(id: string, passwordHash: string): Promise<void> {
      await db.update(accounts).set({ passwordHash }).where(eq(accounts.id, id));
    },
    /** Keys, sessions and grants go with the account; its replays stay without a name. */
    async remove(id: string): Promise<void> {
      await db.delete(accounts).where(eq(accounts.id, id));
    },
    membersOf: (teamId: string): Promise<AccountRow[]> =>
      joined().where(eq(accounts.teamId, teamId)).orderBy(asc(accounts.createdAt), asc(accounts.id)),
    async setRole(id: string, role: 'owner' | 'member'): Promise<void> {
      await db.update(accounts).set({ role }).where(eq(accounts.id, id));
    },
  };
}

async function unlessTaken(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    const { code, extendedCode } = ((error as Error).cause ?? error) as { code?: string; extendedCode?: string };
    if (extendedCode === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_UNIQUE') return false;
    throw error;
  }
}
