/* Creates the response to one event from a rule's answer. */

import { render } from '../../core/answers/placeholders.ts';
import type { DeliveryResponse } from '../../core/delivery-response.ts';
import type { Chosen } from './answerer.ts';

const nothing = new Uint8Array(0);
/** Statuses that get a Retry-After header. */
const limitStatuses = new Set([429, 503]);

/** @param id the event's id @param now epoch ms */
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
