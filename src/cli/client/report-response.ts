/* Reports a target's response, so that it is listed among the event's replays. If this fails, the command does not. */
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

/** `hidden`: secrets of this machine, which the target may have echoed. They must not reach the server. */
type ReportedResponse = {
  destination: string;
  result: Exclude<OutboundResult, { kind: 'refused' }>;
  hidden: readonly HiddenText[];
  isSigned: boolean;
  isEdited: boolean;
};

/** Converts a response to the form of POST …/attempts. */
export function toAttempt(eventId: string, response: ReportedResponse): ReportedAttempt {
  const { destination, result, hidden, isSigned, isEdited } = response;
  const { durationMs } = result;
  const about = { eventId, destination, durationMs, signed: isSigned, edited: isEdited };
  return result.kind === 'answered'
    ? { ...about, status: result.status, response: responseOf(result, hidden) }
    : { ...about, status: null };
}

/** Whether the server is of the first release, which does not store responses. */
export const isWithoutAttempts = (error: unknown): boolean =>
  [404, 405].includes(Number((error as { status?: unknown }).status));

export async function reportResponse(io: Io, api: Api, event: EventDetail, response: ReportedResponse): Promise<void> {
  try {
    const body = { attempts: [toAttempt(event.id, response)] };
    await api.call('POST', `/api/endpoints/${event.endpointId}/attempts`, { body });
  } catch (error) {
    if (isWithoutAttempts(error)) return;
    io.stderr(`The response could not be reported: ${safeLine((error as Error).message)}\n`);
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
