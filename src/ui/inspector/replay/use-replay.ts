/* Sends events one after the other. Closing the dialog stops a batch after the current event; later results are toasts. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { ReplayResult } from '../../../features/replays/model.ts';
import { ApiError, api } from '../../kit/api.ts';
import { messageOf, showError, showToast } from '../../kit/toasts.tsx';
import { rememberListener, saveDestination } from './replay-destinations.ts';
import { isToUrl, type ReplayRequest, rememberRequest } from './request.ts';
import { resultLine } from './status-text.ts';

export type Sending = { id: string; result?: ReplayResult; problem?: string };

type Options = {
  endpointId: string;
  ids: readonly string[];
  /** Called after each attempt, successful or not, also after the dialog was closed. */
  onSent: (id: string) => void;
};

export function useReplay({ endpointId, ids, onSent }: Options) {
  const isBatch = ids.length > 1;
  const [sendings, setSendings] = useState<Sending[]>([]);
  const isStopped = useRef(false);
  const isClosed = useRef(false);
  const stop = (): void => {
    isStopped.current = true;
  };
  useEffect(
    () => () => {
      isClosed.current = true;
      stop();
    },
    [],
  );

  /** @throws when it is refused, for every event alike */
  const sendOne = async (id: string, request: ReplayRequest): Promise<void> => {
    try {
      const result = await replayWithinRateLimit(id, request, isStopped);
      rememberRequest(id, request);
      rememberReceiver(endpointId, request);
      setSendings(all => [...all, { id, result }]);
      if (isClosed.current && !isBatch) showToast(`Replayed: ${resultLine(result)}.`);
    } catch (error) {
      const message = messageOf(error);
      if (isClosed.current && !isBatch) showError(`Replay failed. ${message}`);
      if (error instanceof ApiError && (error.status === 400 || error.status === 403)) throw error;
      setSendings(all => [...all, { id, problem: message }]);
    }
    onSent(id);
  };

  const send = async (request: ReplayRequest): Promise<void> => {
    setSendings([]);
    isStopped.current = false;
    let sentCount = 0;
    try {
      for (const id of ids) {
        if (isStopped.current) break;
        await sendOne(id, request);
        sentCount += 1;
      }
    } finally {
      if (isClosed.current && isBatch)
        showToast(`Replayed ${sentCount} of ${ids.length} events, then stopped because the dialog was closed.`);
    }
  };
  return { sendings, send, stop };
}

function rememberReceiver(endpointId: string, request: ReplayRequest): void {
  if (isToUrl(request)) saveDestination(endpointId, request.url, request.appendPath);
  rememberListener(endpointId, isToUrl(request) ? undefined : request.listener);
}

/** Waits out the rate limit (429) and sends again, unless the batch was stopped. The server sends nothing when it answers 429. */
async function replayWithinRateLimit(id: string, request: ReplayRequest, isStopped: { current: boolean }) {
  for (;;) {
    try {
      return await api.replay(id, request);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || isStopped.current) throw error;
      await new Promise(resolve => setTimeout(resolve, error.retryAfterSeconds * 1000));
      if (isStopped.current) throw error;
    }
  }
}
