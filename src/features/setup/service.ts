/*
 * First run: whoever started the server finds a link in its output that makes the owner account and the first endpoint. Its
 * token is only in memory, made anew at each start, and worth nothing as soon as there is any account.
 */
import { timingSafeEqual } from 'node:crypto';
import { unauthorized } from '../../core/errors.ts';

export type SetupService<Account, Endpoint> = {
  /** Whether there is no account yet. */
  isRequired: () => Promise<boolean>;
  /** `BASE_URL/setup?token=…`; undefined when there is an account. */
  link: () => Promise<string | undefined>;
  /** @throws unauthorized for a wrong or used token, invalid for the address or password */
  complete: (
    token: string,
    owner: { email: string; password: string },
  ) => Promise<{ account: Account; endpoint: Endpoint }>;
};

const firstEndpointName = 'My first endpoint';

export function createSetupService<Account, Endpoint>(options: {
  baseUrl: string;
  isEmpty: () => Promise<boolean>;
  /** undefined when there is an account by now. */
  createOwner: (owner: { email: string; password: string }) => Promise<Account | undefined>;
  createEndpoint: (owner: Account, name: string) => Promise<Endpoint>;
  newToken: () => string;
  sha256: (bytes: Uint8Array) => Uint8Array;
}): SetupService<Account, Endpoint> {
  const { baseUrl, isEmpty, createOwner, createEndpoint, newToken, sha256 } = options;
  let token: string | undefined;
  const isSetUp = () =>
    unauthorized('there is an account already: sign in with it, or ask its owner for an invitation');
  const isWrong = () =>
    unauthorized('this setup link is wrong or old; use the one that the server printed when it last started');
  const digest = (text: string) => sha256(Buffer.from(text));

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

    async complete(given, owner) {
      if (!(await isRequired())) throw isSetUp();
      if (token === undefined || !timingSafeEqual(digest(given), digest(token))) throw isWrong();
      const account = await createOwner(owner);
      token = undefined;
      if (!account) throw isSetUp();
      return { account, endpoint: await createEndpoint(account, firstEndpointName) };
    },
  };
}
