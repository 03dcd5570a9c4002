/*
 * Maps the subject of an external access token to an account. The e-mail claim decides on the first token; later the stored
 * link does, so that a changed or reused e-mail address never leads to another account.
 */
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { newId, type RandomBytes } from '../../core/ids/ids.ts';
import type { ExternalClaims } from '../oauth/external-issuers.ts';
import type { AuthenticatedApp, SubjectsStore } from './store.ts';

type AccountDirectory = {
  /** @throws not_found, invalid */
  byEmail: (email: string) => Promise<{ id: string }>;
  /** @throws conflict, invalid */
  create: (account: { email: string }) => Promise<{ id: string }>;
};

export function createExternalSubjects(options: {
  store: SubjectsStore;
  accounts: AccountDirectory;
  clock: Clock;
  random: RandomBytes;
}) {
  const { store, accounts, clock, random } = options;

  const findAccount = async (email: string): Promise<string | undefined> => {
    try {
      return (await accounts.byEmail(email)).id;
    } catch (error) {
      if (error instanceof AppError && ['not_found', 'invalid'].includes(error.code)) return undefined;
      throw error;
    }
  };

  const findOrCreateAccount = async ({ email, createAccounts }: ExternalClaims): Promise<string | undefined> => {
    if (email === undefined) return undefined;
    const found = await findAccount(email);
    if (found !== undefined || !createAccounts) return found;
    try {
      return (await accounts.create({ email })).id;
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid') return undefined;
      // A concurrent request created it.
      if (error instanceof AppError && error.code === 'conflict') return findAccount(email);
      throw error;
    }
  };

  return {
    /** @returns undefined when there is no account for the subject, or the app was disconnected */
    async authenticate(claims: ExternalClaims): Promise<AuthenticatedApp | undefined> {
      const { issuer, subject, clientId } = claims;
      const find = () => store.findByExternalSubject(issuer, subject, clientId);
      let row = await find();
      if (!row) {
        const accountId = await findOrCreateAccount(claims);
        if (accountId === undefined) return undefined;
        await store.linkSubject({ issuer, subject, accountId, createdAt: clock.now() });
        row = await find();
      }
      if (row && row.appId === null) {
        const createdAt = clock.now();
        const name = clientId === '' ? new URL(issuer).host : clientId.slice(0, 100);
        const app = { accountId: row.accountId, issuer, clientId, name, createdAt };
        await store.insertAppIfAbsent({ ...app, id: newId('app', createdAt, random) });
        row = await find();
      }
      if (!row || row.appId === null || row.revokedAt !== null) return undefined;
      const { revokedAt: _, appId, ...account } = row;
      return { ...account, appId, grantId: null };
    },
  };
}
