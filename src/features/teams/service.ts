/*
 * Teams and invitations. Only owners invite and remove members. An account is in exactly one team, so removing a member deletes
 * the account with its keys, sessions and grants. The team's endpoints and events stay; replays are shown as a former member's.
 */

import { hashOf } from '../../core/access/credential-hash.ts';
import { checkPassword } from '../../core/access/password.ts';
import type { AccountIdentity } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import {
  conflict,
  forbidden,
  inField,
  invalid,
  limitReached,
  missingField,
  notFound,
  unauthorized,
} from '../../core/errors.ts';
import { newId, newToken, type RandomBytes } from '../../core/ids/ids.ts';
import { readEmail } from '../../core/text.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { Invitation, OpenInvitation, PendingInvitation, Team } from './model.ts';
import type { TeamsStore } from './store.ts';

export type TeamsService = ReturnType<typeof createTeamsService>;

const invitationMs = 72 * 60 * 60 * 1000;
const maxInvitations = 100;

export function createTeamsService(options: {
  store: TeamsStore;
  passwords: Passwords;
  clock: Clock;
  random: RandomBytes;
  baseUrl: string;
  /** Whether people may sign in with a password: then a new account needs one. */
  passwordSignIn: boolean;
  limits: { free: Team['limits']; pro: Team['limits'] };
  /** Called after a member was removed. */
  onAccessEnded: () => void;
}) {
  const { store, passwords, clock, random, baseUrl, passwordSignIn, limits, onAccessEnded } = options;

  const requireOwner = ({ role }: Pick<AccountIdentity, 'role'>): void => {
    if (role !== 'owner') throw forbidden('only an owner of the team may do this');
  };
  /** Checks again when the store changed nothing: the caller may have lost the role during the request. */
  const requireStillOwner = async (principal: AccountIdentity): Promise<void> => {
    const member = (await store.membersOf(principal.teamId)).find(({ id }) => id === principal.accountId);
    if (!member) throw unauthorized();
    requireOwner(member);
  };

  const find = async (token: string): Promise<OpenInvitation> => {
    const found = await store.findInvitation(hashOf(token), clock.now());
    if (!found) throw notFound('invitation');
    return found;
  };

  const alreadyHasAccount = (email: string) =>
    conflict(`${email} already has an account, and an account is in one team only`);

  /** A new link, made by this account. */
  const newLink = ({ accountId, email: invitedBy }: Pick<AccountIdentity, 'accountId' | 'email'>) => {
    const token = newToken(random);
    const createdAt = clock.now();
    const expiresAt = createdAt + invitationMs;
    return {
      row: { hash: hashOf(token), invitedBy: accountId, createdAt, expiresAt },
      shown: { invitedBy, createdAt, expiresAt, url: `${baseUrl}/login?invitation=${token}` },
    };
  };

  return {
    async team({ teamId, plan }: AccountIdentity): Promise<Team> {
      return { members: await store.membersOf(teamId), plan, limits: limits[plan] };
    },

    /**
     * Creates a link that adds one account to this team, and invalidates an earlier link for the same address. Does not reveal
     * whether the address has an account in another team.
     * @throws forbidden, invalid for the address, conflict when it is a member's, limit_reached, unauthorized when the caller's
     * account was deleted in the meantime
     */
    async invite(principal: AccountIdentity, givenEmail: string): Promise<Invitation> {
      requireOwner(principal);
      const email = inField(['email'], () => readEmail(givenEmail));
      if ((await store.membersOf(principal.teamId)).some(member => member.email === email))
        throw conflict(`${email} is already in the team`);
      const { row, shown } = newLink(principal);
      const id = newId('inv', row.createdAt, random);
      if (!(await store.invite({ ...row, id, teamId: principal.teamId, email }, maxInvitations))) {
        await requireStillOwner(principal);
        throw limitReached(`a team has at most ${maxInvitations} open invitations`);
      }
      return { id, email, ...shown };
    },

    /** A link that sets the first password of an account that has none. It works once, and for as long as an invitation. */
    async passwordLink(account: { id: string; teamId: string; email: string }): Promise<string> {
      const { teamId, email } = account;
      const { row, shown } = newLink({ accountId: account.id, email });
      await store.insertPasswordLink({ ...row, id: newId('inv', row.createdAt, random), teamId, email });
      return shown.url;
    },

    /** The invitations that can still be accepted, newest first. @throws forbidden */
    async pendingInvitations(principal: AccountIdentity): Promise<PendingInvitation[]> {
      requireOwner(principal);
      return store.pendingInvitations(principal.teamId, clock.now());
    },

    /** Replaces the link of a pending invitation. @throws forbidden, not_found, unauthorized as above */
    async renewInvitation(principal: AccountIdentity, id: string): Promise<Invitation> {
      requireOwner(principal);
      const { row, shown } = newLink(principal);
      const email = await store.renewInvitation({ id, teamId: principal.teamId, ...row });
      if (email !== undefined) return { id, email, ...shown };
      await requireStillOwner(principal);
      throw notFound('invitation');
    },

    /** Its link stops working at once. @throws forbidden, not_found, unauthorized as above */
    async withdrawInvitation(principal: AccountIdentity, id: string): Promise<void> {
      requireOwner(principal);
      const { teamId, accountId: by } = principal;
      if (await store.removeInvitation({ id, teamId, by, now: clock.now() })) return;
      await requireStillOwner(principal);
      throw notFound('invitation');
    },

    /** @throws forbidden, invalid for the caller's own account, not_found unless it is a member, unauthorized as above */
    async removeMember(principal: AccountIdentity, id: string): Promise<void> {
      requireOwner(principal);
      if (id === principal.accountId) throw invalid('you cannot remove yourself: a team needs an owner');
      if (await store.removeMember(principal.teamId, id, principal.accountId)) return onAccessEnded();
      await requireStillOwner(principal);
      throw notFound('member');
    },

    /** @throws not_found for a token that is unknown, used or expired */
    invitation: find,

    /**
     * Creates the account of an invited address that has proven itself without the link, and uses the invitation up.
     * @returns undefined if the address is not invited @throws conflict when it already has an account
     */
    async joinInvited(email: string): Promise<{ id: string } | undefined> {
      const createdAt = clock.now();
      const hash = await store.invitationOf(email, createdAt);
      if (!hash) return undefined;
      const id = newId('acc', createdAt, random);
      const outcome = await store.accept(hash, createdAt, { id, passwordHash: null, createdAt });
      if (outcome === 'taken') throw alreadyHasAccount(email);
      return outcome === 'joined' ? { id } : undefined;
    },

    /**
     * Creates the account, or sets the password of the account of a password link. The token works once.
     * @throws not_found, invalid for the password, conflict when the address already has an account
     */
    async accept(token: string, password: string | undefined): Promise<{ id: string; passwordHash: string | null }> {
      const { email, teamOf } = await find(token);
      if (password === undefined && passwordSignIn) throw missingField('password');
      const passwordHash = password === undefined ? null : await passwords.hash(checkPassword(password, email));
      const createdAt = clock.now();
      if (teamOf === email) {
        const own = await store.acceptPasswordLink(hashOf(token), createdAt, passwordHash);
        if (own === undefined) throw notFound('invitation');
        return { id: own, passwordHash };
      }
      const id = newId('acc', createdAt, random);
      const outcome = await store.accept(hashOf(token), createdAt, { id, passwordHash, createdAt });
      if (outcome === 'expired') throw notFound('invitation');
      if (outcome === 'taken') throw alreadyHasAccount(email);
      return { id, passwordHash };
    },
  };
}
