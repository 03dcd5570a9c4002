/*
 * First run: while there is no account, the server prints a link that creates the owner account and the first endpoint. The
 * token of the link is kept only in memory, is new at each start, and is invalid once there is an account.
 */
import { timingSafeEqual } from 'node:crypto';
import { unauthorized } from '../../core/errors.ts';

export type SetupService<Account, Endpoint> = {
  /** Whether there is no account yet. */
  isRequired: () => Promise<boolean>;
  /** `BASE_URL/setup?token=…`; undefined when there is an account. */
  link: () => Promise<string | undefined>;
  /** Whether there is no account yet, and this is not the token of the link that creates it. */
  isWrong: (token: string) => Promise<boolean>;
  /** @throws unauthorized for a wrong or used token, invalid for the address or password */
  complete: (
    token: string,
    owner: { email: string; password?: string },
  ) => Promise<{ account: Account; endpoint: Endpoint }>;
};

const firstEndpointName = 'My first endpoint';

export function createSetupService<Account, Endpoint>(options: {
  baseUrl: string;
  isEmpty: () => Promise<boolean>;
  /** @returns undefined when there is already an account */
  createOwner: (owner: { email: string; password?: string }) => Promise<Account | undefined>;
  createEndpoint: (owner: Account, name: string) => Promise<Endpoint>;
  newToken: () => string;
  sha256: (bytes: Uint8Array) => Uint8Array;
}): SetupService<Account, Endpoint> {
  const { baseUrl, isEmpty, createOwner, createEndpoint, newToken, sha256 } = options;
  let token: string | undefined;
  const alreadySetUp = () =>
    unauthorized('there is already an account: sign in with it, or ask its owner for an invitation');
  const wrongToken = () =>
    unauthorized('this setup link is not valid; use the one that the server printed when it last started');
  const digest = (text: string) => sha256(Buffer.from(text));

  const isValid = (given: string): boolean => token !== undefined && timingSafeEqual(digest(given), digest(token));

  const isRequired = async (): Promise<boolean> => {
    if (await isEmpty()) return true;
    token = undefined;
    return false;
  };

  return {
    isRequired,

    async link() {
      if (!(await isRequired())) return undefined;
      token ??= newToken();
      return `${baseUrl}/setup?token=${token}`;
    },

    isWrong: async given => (await isRequired()) && !isValid(given),

    async complete(given, owner) {
      if (!(await isRequired())) throw alreadySetUp();
      if (!isValid(given)) throw wrongToken();
      const account = await createOwner(owner);
      token = undefined;
      if (!account) throw alreadySetUp();
      return { account, endpoint: await createEndpoint(account, firstEndpointName) };
    },
  };
}
