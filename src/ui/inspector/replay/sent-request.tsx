/* What a replay sent, compared with what was captured: method, URL, headers and body. */

import { useMemo } from 'preact/hooks';
import type { EventDetail, ReplayAttempt } from '../../../features/events/model.ts';
import { ApiError, api } from '../../kit/api.ts';
import { headerText, visibleLine } from '../../kit/format/visible.ts';
import { Loaded } from '../../kit/page.tsx';
import { useQuery } from '../../kit/use-query.ts';
import { headerOf, parseBody, parseBodyOf } from '../body/views.ts';
import { pairRows } from '../compare/diff-rows.ts';
import { BodyDifferences, DifferenceTable } from '../compare/differences.tsx';
import { sentHeaders } from './changes.ts';

export function SentRequest({ event, attempt: { id, request, via } }: { event: EventDetail; attempt: ReplayAttempt }) {
  const headers = useMemo(
    () => request && pairRows(readable(sentHeaders(event.rawHeaders)), readable(request.headers)),
    [event.rawHeaders, request],
  );
  if (!request || !headers)
    return (
      <p class="faint">
        {via === 'listen'
          ? "It was sent from another machine, so the request isn't stored."
          : "The request wasn't stored."}
      </p>
    );
  return (
    <div class="sent-request col">
      <h3 class="panel-title">Request</h3>
      <code class="breaks">{visibleLine(`${request.method} ${request.url}`)}</code>
      <DifferenceTable rows={headers} same="The headers are as captured." />
      {request.sha256 === event.sha256 ? (
        <p class="faint">The body is as captured.</p>
      ) : (
        <SentBody event={event} replayId={id} />
      )}
    </div>
  );
}

const readable = (pairs: readonly (readonly [string, string])[]): [string, string][] =>
  pairs.map(([name, value]) => [name, headerText(value)]);

function SentBody({ event, replayId }: { event: EventDetail; replayId: string }) {
  const url = api.sentBodyUrl(event.id, replayId);
  const body = useQuery(url, async () => {
    try {
      return { bytes: await api.bytes(url) };
    } catch (error) {
      // An edit that is too large, or has a secret in it, is not stored.
      if (error instanceof ApiError && error.status === 410) return 'not-stored';
      throw error;
    }
  });
  return (
    <Loaded query={body} what="the body that was sent" rows={2} inCard>
      {sent =>
        sent === 'not-stored' ? (
          <p class="faint">The body was changed, and the changed body wasn't stored.</p>
        ) : (
          <>
            <ChangedBody event={event} bytes={sent.bytes} />
            <a href={url} download>
              Download the body that was sent
            </a>
          </>
        )
      }
    </Loaded>
  );
}

function ChangedBody({ event, bytes }: { event: EventDetail; bytes: Uint8Array }) {
  const [left, right] = useMemo(
    () => [parseBodyOf(event), parseBody(bytes, headerOf(event.rawHeaders, 'content-type'))],
    [event, bytes],
  );
  return <BodyDifferences left={left} right={right} />;
}
