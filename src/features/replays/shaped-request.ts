/*
 * The request that a forward sends in place of an event. It has no header of the sender, because a stranger must not choose headers
 * of a request that carries a token.
 */
import type { TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { latin1 } from '../../core/encoding/buffer.ts';
import { renderRequest } from '../../core/forward-request.ts';
import { eventId } from '../../core/ids/ids.ts';
import { sentHeaders } from '../../core/replay/replay-headers.ts';
import type { Verdict } from '../../shared/filter/filter.ts';
import type { ForwardRequest } from '../../shared/forwards.ts';
import type { StoredEvent } from '../events/reading.ts';
import type { PreparedRequest } from './prepare.ts';

export type ShapeOptions = {
  verdictOf: (event: StoredEvent) => Promise<Verdict>;
  /** The name of the event's endpoint, and the event's page in the dashboard. @throws not_found */
  aboutEvent: (team: TeamAccess, endpointId: string, id: string) => Promise<{ endpoint: string; link: string }>;
  clock: Pick<Clock, 'now'>;
};

/** @returns a text if the request cannot be sent: why */
export const createShapedRequest =
  ({ verdictOf, aboutEvent, clock }: ShapeOptions) =>
  async (
    request: ForwardRequest,
    event: StoredEvent,
    { url, ...team }: TeamAccess & { url: string },
  ): Promise<PreparedRequest | string> => {
    const { eventType: type, platform, receivedAt, query, seq, nonce } = event.row;
    const id = eventId(seq, nonce);
    // Both take time.
    const verdict = request.body.includes('verdict') ? await verdictOf(event) : 'none';
    const about = /endpoint|link/.test(request.body) ? await aboutEvent(team, event.endpointId, id) : {};
    const content = { headers: event.headers, query: query && latin1(query), body: event.body };
    const { body, problem } = renderRequest(
      request,
      { type, platform, receivedAt, verdict: () => verdict, ...content },
      { id, at: clock.now(), ...about },
    );
    if (problem !== null) return problem;
    const headers = [['Content-Type', request.contentType] as const, ['User-Agent', 'Hooktape'] as const];
    return {
      method: request.method,
      url,
      headers: sentHeaders(headers, { eventId: id, isEdited: false }),
      body,
      unsignedBody: event.body,
      mayKeepBody: true,
      isSigned: false,
      isEdited: false,
      hidden: [],
    };
  };
