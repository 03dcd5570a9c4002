/* The responses to deliveries (interface "Ingest"). */
import { render } from '../core/answers/placeholders.ts';
import type { DeliveryResponse } from '../core/delivery-response.ts';
import type { HandshakeAnswer } from '../platforms/engine/model.ts';
import type { Chosen } from './answers/answerer.ts';

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

const nothing = new Uint8Array(0);
/** Statuses that get a Retry-After header. */
const limitStatuses = new Set([429, 503]);

/** The response from a rule's answer. @param id the event's id @param now epoch ms */
export function chosenAnswer(
  { answer, retryAfterS, hold, isLimited, event }: Chosen,
  id: string,
  now: number,
): DeliveryResponse {
  const { status, fields, body, delayMs, fault } = answer;
  const mustSayWhen =
    retryAfterS !== undefined &&
    limitStatuses.has(status) &&
    !fields.some(([name]) => name.toLowerCase() === 'retry-after');
  const hasBody = status !== 204 && status !== 205 && status !== 304 && fault !== 'close' && fault !== 'reset';
  return {
    status,
    headers: {},
    body: '',
    chosen: {
      fields: mustSayWhen ? [...fields, ['Retry-After', String(retryAfterS)]] : fields,
      body: !hasBody
        ? nothing
        : body instanceof Uint8Array
          ? body
          : render(body.template, event, { id, at: now, escaping: body.escaping }).body,
      delayMs: isLimited ? 0 : delayMs,
      fault: isLimited && fault === 'stall' ? null : fault,
      hold,
    },
  };
}
