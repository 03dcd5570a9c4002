/* Sends an event to a checked address, as captured except for credentials and the headers of the connection. */

import type { HeaderPair } from '../../core/headers.ts';
import { parseAllowEntry } from '../../core/network/allow-list.ts';
import type { EditedRequest } from '../../core/replay/replay-edit.ts';
import { replayHeaders } from '../../core/replay/replay-headers.ts';
import type { EventDetail } from '../../features/events/model.ts';
import { createOutbound, type OutboundResult } from '../../net/outbound.ts';
import type { Io } from '../io.ts';
import type { ResolvedAddress } from './target.ts';

export type PreparedRequest = { method: string; url: string; headers: readonly HeaderPair[]; body: Uint8Array };

/** The most bytes that are read of a response. */
export const answerBytes = 1 << 20;

/** The event as it was captured, to be edited and signed. */
export const capturedRequest = ({ headers, body }: EditedRequest): EditedRequest => ({
  headers: replayHeaders(headers),
  body,
});

/** Converts headers and body from their form in the API. */
export const contentOf = ({
  rawHeaders,
  payloadRaw,
  payloadEncoding,
}: Pick<EventDetail, 'rawHeaders' | 'payloadRaw' | 'payloadEncoding'>): EditedRequest => ({
  headers: rawHeaders,
  body: Buffer.from(payloadRaw, payloadEncoding),
});

/** @param addresses of the target's host, which have been checked @returns `send`, which never throws */
export function createSender(io: Pick<Io, 'clock'>, addresses: readonly ResolvedAddress[]) {
  const { send } = createOutbound({
    // The address has already been checked; the guard still refuses ports of other protocols and metadata services.
    allow: ['0.0.0.0/0', '::/0'].flatMap(range => parseAllowEntry(range) ?? []),
    allowLoopback: true,
    clock: io.clock,
    resolve: async () => addresses,
  });
  return (request: PreparedRequest, timeoutMs: number, signal?: AbortSignal): Promise<OutboundResult> =>
    send({ ...request, timeoutMs, previewBytes: answerBytes, ...(signal && { signal }) });
}
