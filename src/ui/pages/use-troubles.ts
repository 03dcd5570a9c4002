/*
 * What is wrong with an endpoint, asked again every 10 seconds while the browser shows the dashboard, with the ETag of the last answer,
 * so that the server sends it only if something has changed.
 */

import { useRef } from 'preact/hooks';
import type { Trouble } from '../../features/overview/model.ts';
import { api } from '../kit/api.ts';
import { type Query, usePolled } from '../kit/use-query.ts';

const everyMs = 10_000;

export function useTroubles(endpointId: string): Query<readonly Trouble[]> {
  const known = useRef<{ troubles: readonly Trouble[]; etag: string | undefined }>({ troubles: [], etag: undefined });
  return usePolled<readonly Trouble[]>(
    endpointId,
    async () => {
      const { page, etag } = await api.overview(endpointId, undefined, known.current.etag);
      const troubles = page?.endpoints.find(({ id }) => id === endpointId)?.troubles ?? [];
      if (page) known.current = { troubles, etag };
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
