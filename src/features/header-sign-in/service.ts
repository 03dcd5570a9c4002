/* Starts sessions for people whom a proxy has signed in. An address without an account gets one only if that is configured. */
import type { AuditTarget } from '../../core/access/audit-actions.ts';
import type { SignInResult } from '../../core/access/sign-in.ts';
import type { FindOrCreateAccount } from '../accounts/proven-address.ts';
import type { SessionsService } from '../sessions/service.ts';

export function createHeaderSignInService(options: {
  findOrCreateAccount: FindOrCreateAccount;
  createAccounts: boolean;
  startSession: SessionsService['start'];
  /** Writes an entry of the audit log. */
  record: (accountId: string, action: string, target: AuditTarget) => Promise<void>;
  /** Called after each attempt to sign in. */
  onSignIn: (way: 'header', result: SignInResult) => void;
}) {
  const { findOrCreateAccount, createAccounts, startSession, record, onSignIn } = options;
  return {
    /** @returns the token of the session; undefined if the address may not sign in */
    async signIn(email: string, clientInfo: Parameters<SessionsService['start']>[2]): Promise<string | undefined> {
      const accountId = await findOrCreateAccount(email, { createAccounts });
      if (accountId === undefined) {
        onSignIn('header', 'refused');
        return undefined;
      }
      const token = await startSession(accountId, { way: 'header' }, clientInfo);
      onSignIn('header', 'ok');
      await record(accountId, 'session.started_header', { type: 'account', id: accountId });
      return token;
    },
  };
}
