/* What is wrong with an endpoint, asked again every 10 seconds while the page is visible, with the ETag of the last answer. */

import { useRef } from 'preact/hooks';
import type { Trouble } from '../../features/overview/model.ts';
import { ApiError, api, isRetryable } from '../kit/api.ts';
import { type Query, usePolled } from '../kit/use-query.ts';

const everyMs = 10_000;
/** A server that does not answer for this time counts as unreachable. */
const maxWaitMs = 20_000;

export function useTroubles(endpointId: string): Query<readonly Trouble[]> {
  const known = useRef<{ troubles: readonly Trouble[]; etag: string | undefined }>({ troubles: [], etag: undefined });
  return usePolled<readonly Trouble[]>(
    endpointId,
    async () => {
      const signal = AbortSignal.timeout(maxWaitMs);
      try {
        const { page, etag } = await api.overview(endpointId, undefined, known.current.etag, signal);
        const troubles = page?.endpoints.find(({ id }) => id === endpointId)?.troubles ?? [];
        if (page) known.current = { troubles, etag };
      } catch (error) {
        if (signal.aborted) throw new ApiError(0, 'The server does not answer.');
        if (isRetryable(error)) throw error;
        // It answers, and is asked again.
      }
      return [...known.current.troubles];
    },
    () => true,
    () => everyMs,
  );
}

/** A forward that is down and has given up on events has two troubles. */
export function forwardsInTrouble(troubles: readonly Trouble[]): { count: number; lines: string[] } {
  const own = troubles.filter(({ kind }) => kind === 'forward_down' || kind === 'forward_given_up');
  return { count: new Set(own.map(({ link }) => link.split('?')[0])).size, lines: own.map(({ text }) => text) };
}
