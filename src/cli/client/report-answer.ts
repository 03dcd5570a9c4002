/* Reports the answer of a target to the server, so that it stands among the event's replays. A failure does not undo the sending. */
import { encodeBody } from '../../core/body-encoding.ts';
import { keptResponseBytes } from '../../core/limits.ts';
import type { EventDetail } from '../../features/events/model.ts';
import type { OutboundResult } from '../../net/outbound.ts';
import type { Io } from '../io.ts';
import type { Api } from './api.ts';
import { safeLine } from './output.ts';

type Answer = { destination: string; result: Exclude<OutboundResult, { kind: 'refused' }> };

export async function reportAnswer(
  io: Io,
  api: Api,
  event: EventDetail,
  { destination, result }: Answer,
): Promise<void> {
  const { durationMs } = result;
  const attempt =
    result.kind === 'answered'
      ? { eventId: event.id, destination, status: result.status, durationMs, response: responseOf(result) }
      : { eventId: event.id, destination, status: null, durationMs };
  try {
    await api.call('POST', `/api/endpoints/${event.endpointId}/attempts`, { body: { attempts: [attempt] } });
  } catch (error) {
    // A server of the first release does not keep answers.
    if ([404, 405].includes(Number((error as { status?: unknown }).status))) return;
    io.stderr(`The answer could not be reported: ${safeLine((error as Error).message)}\n`);
  }
}

function responseOf({ headers, preview, truncated }: Extract<OutboundResult, { kind: 'answered' }>) {
  const isCut = preview.length > keptResponseBytes;
  return { headers, ...encodeBody(preview.subarray(0, keptResponseBytes)), truncated: truncated || isCut };
}
