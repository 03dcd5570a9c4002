/* The account of an email address that is proven elsewhere: by an OpenID Connect provider, or by a proxy that signs people in. */
import type { AuditTarget } from '../../core/access/audit-actions.ts';
import { AppError } from '../../core/errors.ts';
import type { AccountService } from './service.ts';

export type FindOrCreateAccount = ReturnType<typeof createFindOrCreateAccount>;

export function createFindOrCreateAccount(options: {
  accounts: Pick<AccountService, 'byEmail' | 'create' | 'createFirstWithoutPassword' | 'isEmpty'>;
  /** Makes the account of an invited address. @returns undefined if it is not invited */
  joinInvited: (email: string) => Promise<{ id: string } | undefined>;
  /** Writes an entry of the audit log. */
  record: (accountId: string, action: string, target: AuditTarget) => Promise<void>;
}) {
  const { accounts, joinInvited, record } = options;
  const recordOfAccount = (id: string, action: string): Promise<void> => record(id, action, { type: 'account', id });

  const find = async (email: string): Promise<string | undefined> => {
    try {
      return (await accounts.byEmail(email)).id;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  };

  const create = async (email: string, teamOf: string | undefined): Promise<{ id: string }> => {
    if (teamOf !== undefined) return accounts.create({ email, teamOf });
    const first = (await accounts.isEmpty()) ? await accounts.createFirstWithoutPassword(email) : undefined;
    return first ?? accounts.create({ email });
  };

  /**
   * An invited address joins its team in any case. @param teamOf the address of an account whose team a new account joins; by default
   * it gets a team of its own @returns the id; undefined if no one with this address may have an account
   */
  return async (
    email: string,
    { createAccounts, teamOf }: { createAccounts: boolean; teamOf?: string },
  ): Promise<string | undefined> => {
    const found = await find(email);
    if (found !== undefined) return found;
    try {
      const invited = await joinInvited(email);
      if (invited) await recordOfAccount(invited.id, 'invitation.accepted');
      const created = invited || !createAccounts ? undefined : await create(email, teamOf);
      if (created) await recordOfAccount(created.id, 'account.created');
      // A parallel sign-in may have used up the invitation.
      return (invited ?? created)?.id ?? (await find(email));
    } catch (error) {
      // A parallel sign-in has made the account.
      if (error instanceof AppError && error.code === 'conflict') return find(email);
      // The account whose team it would join does not exist.
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  };
}
