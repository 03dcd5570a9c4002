/* The replays of an event, newest first; two answers can be compared, and each replay sent again. What forwards sent is listed apart. */

import { useState } from 'preact/hooks';
import type { EventDetail, ReplayAttempt } from '../../../features/events/model.ts';
import type { Forward } from '../../../features/forwards/model.ts';
import { ActionButton } from '../../kit/action.tsx';
import { call } from '../../kit/api.ts';
import { Empty } from '../../kit/controls.tsx';
import { formatCount } from '../../kit/format/time.ts';
import { visibleLine, visibleName } from '../../kit/format/visible.ts';
import { Time } from '../../kit/time.tsx';
import { useQuery } from '../../kit/use-query.ts';
import { StatusBadge } from '../event/badges.tsx';
import { useEventActions } from '../event/event-actions.ts';
import { AnswerComparison, AnswerView } from './answer-view.tsx';
import { isToUrl, lastRequest } from './request.ts';
import { SentRequest } from './sent-request.tsx';
import { phraseLine } from './status-text.ts';

type HistoryProps = {
  event: EventDetail;
  /** What forwards sent, instead of what was asked for. */
  isForwarded?: boolean;
};

export function ReplayHistory({ event, isForwarded = false }: HistoryProps) {
  const replays = event.replays.filter(({ via }) => (via === 'forward') === isForwarded);
  const forwardNames = useForwardNames(event.endpointId, isForwarded && replays.length > 0);
  const comparable = replays.filter(one => !isCompact(one)).length;
  const [compared, setCompared] = useState<readonly string[]>([]);
  if (replays.length === 0)
    return isForwarded ? null : (
      <Empty title="Not replayed yet">
        Send this event, unchanged or edited, to any URL. Press <kbd>r</kbd>.
      </Empty>
    );
  const toggle = (key: string): void =>
    setCompared(compared.includes(key) ? compared.filter(one => one !== key) : [...compared, key].slice(-2));
  const chosen = replays.filter(one => compared.includes(one.id)).sort((a, b) => a.createdAt - b.createdAt);
  const [before, after] = chosen;
  return (
    <>
      {comparable > 1 && (
        <p class="faint" role="status">
          {before && after
            ? 'The two selected responses, older one on the left:'
            : `${formatCount(replays.length, 'replay')}. Select two to compare their responses.`}
        </p>
      )}
      {before && after && <AnswerComparison before={before} after={after} />}
      <ul class="attempts">
        {replays.map((attempt, index) => (
          <AttemptRow
            key={attempt.id}
            event={event}
            attempt={attempt}
            isNewest={index === 0 && !isForwarded}
            canRepeat={index === 0 && !isForwarded && isSentToListener(event.id)}
            forwardName={forwardNames.get(attempt.destination)}
            compare={
              comparable > 1 && !isCompact(attempt)
                ? { isPicked: compared.includes(attempt.id), onPick: () => toggle(attempt.id) }
                : undefined
            }
          />
        ))}
      </ul>
    </>
  );
}

const isSentToListener = (eventId: string): boolean => {
  const request = lastRequest(eventId);
  return request !== undefined && !isToUrl(request);
};

/** Forwards and jobs keep what the answer was, without its headers and body. */
const isCompact = ({ status, response }: ReplayAttempt): boolean => response === null && status !== null;

type AttemptProps = {
  event: EventDetail;
  attempt: ReplayAttempt;
  isNewest: boolean;
  /** This page has sent it to a listener. */
  canRepeat: boolean;
  /** The name of the forward that now sends to this URL. */
  forwardName: string | undefined;
  compare: { isPicked: boolean; onPick: () => void } | undefined;
};

function AttemptRow({ event, attempt, isNewest, canRepeat, forwardName, compare }: AttemptProps) {
  const { sendAgain } = useEventActions();
  const [chosenOpen, setChosenOpen] = useState<boolean>();
  const isOpen = chosenOpen ?? isNewest;
  return (
    <li class="attempt col tight">
      <div class="attempt-head row">
        {compare && (
          <input
            type="checkbox"
            aria-label={`Compare the response from ${new Date(attempt.createdAt).toLocaleTimeString()}`}
            checked={compare.isPicked}
            onChange={compare.onPick}
          />
        )}
        <StatusBadge status={attempt.status} ok={attempt.ok} />
        <span>{phraseLine(attempt)}</span>
        <code class="wrap grow">{visibleLine(attempt.destination)}</code>
        {(attempt.via !== 'listen' || canRepeat) && (
          <ActionButton
            kind="quiet"
            icon="replay"
            act={() => sendAgain(attempt)}
            title={isNewest ? 'Send again (Shift+R)' : 'Send again'}
          >
            Send again
          </ActionButton>
        )}
      </div>
      {isCompact(attempt) && attempt.request === null ? (
        <p>
          <Origin attempt={attempt} forwardName={forwardName} />
        </p>
      ) : (
        <details open={isOpen} onToggle={({ currentTarget: { open } }) => open !== isOpen && setChosenOpen(open)}>
          <summary>
            <Origin attempt={attempt} forwardName={forwardName} />
          </summary>
          {isOpen && (
            <div class="col loose">
              <SentRequest event={event} attempt={attempt} />
              <AnswerView attempt={attempt} />
            </div>
          )}
        </details>
      )}
    </li>
  );
}

type OriginProps = Pick<AttemptProps, 'attempt' | 'forwardName'>;

/** How it was sent, by whom and when. A forward sends by itself. */
const Origin = ({ attempt, forwardName }: OriginProps) => (
  <span class="faint">
    {howSent(attempt)}
    {attempt.via === 'forward'
      ? forwardName !== undefined && ` by “${visibleName(forwardName)}”`
      : ` by ${visibleName(attempt.replayedBy ?? (attempt.formerMember ? 'a removed member' : 'unknown'))}`}
    , <Time at={attempt.createdAt} long />
  </span>
);

const ways: Readonly<Record<ReplayAttempt['via'], string>> = {
  api: 'sent through the API',
  dashboard: 'sent from the dashboard',
  mcp: 'sent through MCP',
  listen: 'sent by hooktape listen',
  forward: 'forwarded',
  job: 'sent by a replay job',
};

const howSent = ({ via, signed, edited }: ReplayAttempt): string => {
  const how = [...(edited ? ['edited'] : []), ...(signed ? ['re-signed'] : [])].join(' and ');
  const text = how === '' ? ways[via] : `${how}, ${ways[via]}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** The names of an endpoint's forwards by URL. Empty while they load, or when they are not needed. */
function useForwardNames(endpointId: string, isNeeded: boolean): ReadonlyMap<string, string> {
  const { value = [] } = useQuery(isNeeded ? endpointId : '', async () =>
    isNeeded ? (await call<{ forwards: Forward[] }>('GET', `/api/endpoints/${endpointId}/forwards`)).forwards : [],
  );
  return new Map(value.map(({ url, name }) => [url, name]));
}
