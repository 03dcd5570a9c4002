/*
 * Whether the principal of a long-lived request may still read its endpoint: the credentials must still belong to the same
 * account, and the endpoint must still exist in its team.
 */
import { unauthorized } from '../../core/errors.ts';
import type { IngestAddress } from '../../ingest/capture.ts';

export type TailPrincipal = { accountId: string; teamId: string; plan: 'free' | 'pro' };

export type AccessCheck = {
  /** As of the last check: team and plan may have changed since the request. */
  principal: () => TailPrincipal;
  /** @throws AppError when access has ended; anything else when that could not be found out */
  verify: () => Promise<void>;
};

export function createAccessCheck(options: {
  principal: TailPrincipal;
  endpointId: string;
  /** Authenticates the request again. */
  recheck: () => Promise<TailPrincipal | undefined>;
  /** @throws not_found */
  findEndpoint: (principal: TailPrincipal, id: string) => Promise<IngestAddress>;
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
