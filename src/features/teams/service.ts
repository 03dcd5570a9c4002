/*
 * Teams. Only an owner invites and removes. An account is in exactly one team, so a person who is removed is deleted: keys,
 * sessions and grants die at once, the team's endpoints and events stay, replays stay as a former member's.
 */

import type { Clock } from '../../core/clock.ts';
import { conflict, forbidden, invalid, limitReached, notFound, unauthorized } from '../../core/errors.ts';
import { newId, newToken, type RandomBytes } from '../../core/ids.ts';
import { checkPassword } from '../../core/password.ts';
import type { AccountHolder } from '../../core/principal.ts';
import { readEmail } from '../../core/text.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { Invitation, OpenInvitation, Team } from './model.ts';
import type { TeamsStore } from './store.ts';

export type TeamsService = ReturnType<typeof createTeamsService>;

const invitationMs = 72 * 60 * 60 * 1000;
const maxInvitations = 100;

export function createTeamsService(options: {
  store: TeamsStore;
  passwords: Passwords;
  clock: Clock;
  random: RandomBytes;
  sha256: (bytes: Uint8Array) => Uint8Array;
  baseUrl: string;
  limits: { free: Team['limits']; pro: Team['limits'] };
  /** Called after a member was removed. */
  onAccessEnded: () => void;
}) {
  const { store, passwords, clock, random, sha256, baseUrl, limits, onAccessEnded } = options;
  const hashOf = (token: string): Buffer => Buffer.from(sha256(Buffer.from(token)));

  const mustOwn = ({ role }: Pick<AccountHolder, 'role'>): void => {
    if (role !== 'owner') throw forbidden('only an owner of the team may do this');
  };
  /** Before another reason is given why the store did nothing for an owner, who may be none any more. */
  const mustStillOwn = async (principal: AccountHolder): Promise<void> => {
    const member = (await store.membersOf(principal.teamId)).find(({ id }) => id === principal.accountId);
    if (!member) throw unauthorized();
    mustOwn(member);
  };

  const find = async (token: string): Promise<OpenInvitation> => {
    const found = await store.findInvitation(hashOf(token), clock.now());
    if (!found) throw notFound('invitation');
    return found;
  };

  return {
    async team({ teamId, plan }: AccountHolder): Promise<Team> {
      return { members: await store.membersOf(teamId), plan, limits: limits[plan] };
    },

    /**
     * A link that makes one account in this team. Inviting an address again makes the earlier link worthless. Whether the
     * address has an account in another team is not told.
     * @throws forbidden, invalid for the address, conflict when it is a member's, limit_reached, unauthorized when the inviter has
     * gone meanwhile
     */
    async invite(principal: AccountHolder, givenEmail: string): Promise<Invitation> {
      mustOwn(principal);
      const email = readEmail(givenEmail);
      if ((await store.membersOf(principal.teamId)).some(member => member.email === email))
        throw conflict(`${email} is in the team already`);
      const token = newToken(random);
      const createdAt = clock.now();
      const expiresAt = createdAt + invitationMs;
      const { teamId, accountId: invitedBy } = principal;
      const row = { hash: hashOf(token), teamId, invitedBy, email, createdAt, expiresAt };
      if (!(await store.invite(row, maxInvitations))) {
        await mustStillOwn(principal);
        throw limitReached(`a team has at most ${maxInvitations} open invitations`);
      }
      return { email, url: `${baseUrl}/login?invitation=${token}`, expiresAt };
    },

    /** @throws forbidden, invalid for oneself, not_found for whoever is not in the team, unauthorized as above */
    async removeMember(principal: AccountHolder, id: string): Promise<void> {
      mustOwn(principal);
      if (id === principal.accountId) throw invalid('nobody can remove themselves: a team keeps its owner');
      if (await store.removeMember(principal.teamId, id, principal.accountId)) return onAccessEnded();
      await mustStillOwn(principal);
      throw notFound('member');
    },

    /** @throws not_found for a token that is unknown, used or expired */
    invitation: find,

    /**
     * Makes the account. The token works once.
     * @throws not_found, invalid for the password, conflict when the address has an account by now
     */
    async accept(token: string, password: string): Promise<{ id: string; passwordHash: string }> {
      const { email } = await find(token);
      const passwordHash = await passwords.hash(checkPassword(password, email));
      const createdAt = clock.now();
      const id = newId('acc', createdAt, random);
      const outcome = await store.accept(hashOf(token), createdAt, { id, passwordHash, createdAt });
      if (outcome === 'gone') throw notFound('invitation');
      if (outcome === 'taken') throw conflict(`${email} has an account already, and an account is in one team only`);
      return { id, passwordHash };
    },
  };
}
