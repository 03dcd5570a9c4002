/*
 * Whether the principal of a long-lived request may still read its endpoint: the credentials must still belong to the same
 * account, and the endpoint must still exist in its team.
 */
import { unauthorized } from '../../core/errors.ts';
import type { MemberAccess } from '../../core/principal.ts';
import type { IngestAddress } from '../../ingest/capture.ts';

export type AccessCheck = {
  /** As of the last check: team and plan may have changed since the request. */
  principal: () => MemberAccess;
  /** @throws AppError when access has ended; anything else when that could not be found out */
  verify: () => Promise<void>;
};

export function createAccessCheck(options: {
  principal: MemberAccess;
  endpointId: string;
  /** Authenticates the request again. */
  recheck: () => Promise<MemberAccess | undefined>;
  /** @throws not_found */
  findEndpoint: (principal: MemberAccess, id: string) => Promise<IngestAddress>;
}): AccessCheck {
  const { endpointId, recheck, findEndpoint } = options;
  let { principal } = options;
  return {
    principal: () => principal,
    async verify() {
      const found = await recheck();
      if (found?.accountId !== principal.accountId) throw unauthorized();
      principal = found;
      await findEndpoint(principal, endpointId);
    },
  };
}
