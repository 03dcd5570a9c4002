/*
 * First run: while there is no account, the server prints a link that creates the owner account and the first endpoint. The
 * token of the link is kept only in memory, is new at each start, and is invalid once there is an account.
 */
import { hashOf, matchesHash } from '../../core/access/credential-hash.ts';
import { unauthorized } from '../../core/errors.ts';
import type { AccountService } from '../accounts/service.ts';
import type { EndpointsService } from '../endpoints/service.ts';

export type SetupService = ReturnType<typeof createSetupService>;

const firstEndpointName = 'My first endpoint';

export function createSetupService(options: {
  baseUrl: string;
  isEmpty: AccountService['isEmpty'];
  createOwner: AccountService['createFirst'];
  createEndpoint: EndpointsService['create'];
  newToken: () => string;
}) {
  const { baseUrl, isEmpty, createOwner, createEndpoint, newToken } = options;
  let token: string | undefined;
  const alreadySetUp = () =>
    unauthorized('there is already an account: sign in with it, or ask its owner for an invitation');
  const wrongToken = () =>
    unauthorized('this setup link is not valid; use the one that the server printed when it last started');
  const isValid = (given: string): boolean => token !== undefined && matchesHash(hashOf(token), given);

  const isRequired = async (): Promise<boolean> => {
    if (await isEmpty()) return true;
    token = undefined;
    return false;
  };

  return {
    /** Whether there is no account yet. */
    isRequired,

    /** `BASE_URL/setup?token=…`; undefined when there is an account. */
    async link(): Promise<string | undefined> {
      if (!(await isRequired())) return undefined;
      token ??= newToken();
      return `${baseUrl}/setup?token=${token}`;
    },

    /** Whether there is no account yet, and this is not the token of the link that creates it. */
    isWrong: async (given: string): Promise<boolean> => (await isRequired()) && !isValid(given),

    /** @throws unauthorized for a wrong or used token, invalid for the address or password */
    async complete(given: string, owner: { email: string; password?: string }) {
      if (!(await isRequired())) throw alreadySetUp();
      if (!isValid(given)) throw wrongToken();
      const account = await createOwner(owner);
      token = undefined;
      if (!account) throw alreadySetUp();
      return { account, endpoint: await createEndpoint(account, firstEndpointName) };
    },
  };
}
