/* Reports the answer of a target to the server, so that it stands among the event's replays. A failure does not undo the sending. */
import { encodeBody } from '../../core/encoding/body-encoding.ts';
import { keptResponseBytes } from '../../core/limits.ts';
import { type HiddenText, hideIn, hideInHeaders } from '../../core/secrets/hidden-text.ts';
import type { EventDetail } from '../../features/events/model.ts';
import type { ReportedAttempts } from '../../features/replays/model.ts';
import type { OutboundResult } from '../../net/outbound.ts';
import type { Io } from '../io.ts';
import type { Api } from './api.ts';
import { safeLine } from './output.ts';

export type ReportedAttempt = ReportedAttempts['attempts'][number];

/** `hidden`: secrets of this machine, which the target may have echoed. The server is not to know them. */
type Answer = {
  destination: string;
  result: Exclude<OutboundResult, { kind: 'refused' }>;
  hidden: readonly HiddenText[];
  isSigned: boolean;
  isEdited: boolean;
};

/** As POST …/attempts takes it. */
export function toAttempt(eventId: string, answer: Answer): ReportedAttempt {
  const { destination, result, hidden, isSigned, isEdited } = answer;
  const { durationMs } = result;
  const about = { eventId, destination, durationMs, signed: isSigned, edited: isEdited };
  return result.kind === 'answered'
    ? { ...about, status: result.status, response: responseOf(result, hidden) }
    : { ...about, status: null };
}

/** A server of the first release does not keep answers. */
export const isWithoutAttempts = (error: unknown): boolean =>
  [404, 405].includes(Number((error as { status?: unknown }).status));

export async function reportAnswer(io: Io, api: Api, event: EventDetail, answer: Answer): Promise<void> {
  try {
    const body = { attempts: [toAttempt(event.id, answer)] };
    await api.call('POST', `/api/endpoints/${event.endpointId}/attempts`, { body });
  } catch (error) {
    if (isWithoutAttempts(error)) return;
    io.stderr(`The answer could not be reported: ${safeLine((error as Error).message)}\n`);
  }
}

function responseOf(
  { headers, preview, truncated }: Extract<OutboundResult, { kind: 'answered' }>,
  hidden: readonly HiddenText[],
) {
  const body = hideIn(preview, hidden);
  const isCut = body.length > keptResponseBytes;
  return {
    headers: hideInHeaders(headers, hidden).map(([name, value]): [string, string] => [name, value]),
    ...encodeBody(body.subarray(0, keptResponseBytes)),
    truncated: truncated || isCut,
  };
}
