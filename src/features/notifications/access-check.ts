/*
 * Whether the principal of a long-lived request may still read its endpoint: the credentials must still belong to the same
 * account, and the endpoint must still exist in its team.
 */

import type { MemberAccess } from '../../core/access/principal.ts';
import { unauthorized } from '../../core/errors.ts';
import type { ReadableEndpoint } from '../events/reading.ts';

export type AccessCheck = {
  /** The principal at the last check: team and plan may have changed since the request. */
  principal: () => MemberAccess;
  /** The endpoint at the last check: its retention may have changed. */
  endpoint: () => ReadableEndpoint;
  /** @throws AppError when access has ended; any other error if the check itself failed */
  verify: () => Promise<void>;
};

export function createAccessCheck(options: {
  principal: MemberAccess;
  endpointId: string;
  endpoint: ReadableEndpoint;
  /** Authenticates the request again. */
  recheck: () => Promise<MemberAccess | undefined>;
  /** @throws not_found */
  findEndpoint: (principal: MemberAccess, id: string) => Promise<ReadableEndpoint>;
}): AccessCheck {
  const { endpointId, recheck, findEndpoint } = options;
  let { principal, endpoint } = options;
  return {
    principal: () => principal,
    endpoint: () => endpoint,
    async verify() {
      const found = await recheck();
      if (found?.accountId !== principal.accountId) throw unauthorized();
      principal = found;
      endpoint = await findEndpoint(principal, endpointId);
    },
  };
}
