/* The responses to deliveries (interface "Ingest"). */
import type { DeliveryResponse } from '../core/delivery-response.ts';
import type { HandshakeAnswer } from '../platforms/engine/model.ts';

const nosniff = { 'x-content-type-options': 'nosniff' };
const json = { 'content-type': 'application/json', ...nosniff };

/** @param handshake the response that the sender's platform expects instead */
export const stored = (id: string, handshake: HandshakeAnswer | null): DeliveryResponse =>
  handshake
    ? { status: handshake.status, headers: { ...handshake.headers, ...nosniff }, body: handshake.body }
    : { status: 200, headers: json, body: `{"ok":true,"id":"${id}"}` };

/** @param retryAfterSeconds given if a retry may help @param headers names in lower case */
export const refusal = (
  status: number,
  error: string,
  { retryAfterSeconds, headers }: { retryAfterSeconds?: number; headers?: DeliveryResponse['headers'] } = {},
): DeliveryResponse => ({
  status,
  headers: {
    ...json,
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...headers,
  },
  body: JSON.stringify({ error }),
});
