/* Starts sessions for people whom a proxy has signed in. An address without an account gets one only if that is configured. */
import type { AuditTarget } from '../../core/access/audit-actions.ts';
import type { SignInResult } from '../../core/access/sign-in.ts';
import { AppError } from '../../core/errors.ts';
import type { AccountService } from '../accounts/service.ts';
import type { SessionsService } from '../sessions/service.ts';

export type HeaderSignInService = ReturnType<typeof createHeaderSignInService>;

type ClientInfo = Parameters<SessionsService['start']>[2];

export function createHeaderSignInService(options: {
  accounts: Pick<AccountService, 'byEmail' | 'create' | 'createFirstWithoutPassword' | 'isEmpty'>;
  /** Makes the account of an invited address. @returns undefined if it is not invited */
  joinInvited: (email: string) => Promise<{ id: string } | undefined>;
  createAccounts: boolean;
  startSession: SessionsService['start'];
  /** Writes an entry of the audit log. */
  record: (accountId: string, action: string, target: AuditTarget) => Promise<void>;
  /** Called after each attempt to sign in. */
  onSignIn: (way: 'header', result: SignInResult) => void;
}) {
  const { accounts, joinInvited, createAccounts, startSession, record, onSignIn } = options;
  const recordOfAccount = (id: string, action: string): Promise<void> => record(id, action, { type: 'account', id });

  const find = async (email: string): Promise<string | undefined> => {
    try {
      return (await accounts.byEmail(email)).id;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  };

  const create = async (email: string): Promise<string | undefined> => {
    const invited = await joinInvited(email);
    if (invited) await recordOfAccount(invited.id, 'invitation.accepted');
    if (invited || !createAccounts) return invited?.id;
    const first = (await accounts.isEmpty()) ? await accounts.createFirstWithoutPassword(email) : undefined;
    const { id } = first ?? (await accounts.create({ email }));
    await recordOfAccount(id, 'account.created');
    return id;
  };

  const findOrCreate = async (email: string): Promise<string | undefined> => {
    try {
      return (await find(email)) ?? (await create(email));
    } catch (error) {
      // A request at the same time has made the account.
      if (error instanceof AppError && error.code === 'conflict') return find(email);
      throw error;
    }
  };

  return {
    /** @returns the token of the session; undefined if the address may not sign in */
    async signIn(email: string, clientInfo: ClientInfo): Promise<string | undefined> {
      const accountId = await findOrCreate(email);
      if (accountId === undefined) {
        onSignIn('header', 'refused');
        return undefined;
      }
      const token = await startSession(accountId, { way: 'header' }, clientInfo);
      onSignIn('header', 'ok');
      await recordOfAccount(accountId, 'session.started_header');
      return token;
    },
  };
}
