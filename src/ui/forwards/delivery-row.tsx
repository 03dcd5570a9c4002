/* One event of a forward: what it is, what became of it so far, when it is sent next, and what can be done about it. */

import type { Forward, ForwardDelivery } from '../../features/forwards/model.ts';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { ActionButton } from '../kit/action.tsx';
import { Button } from '../kit/controls.tsx';
import { formatCount, formatExactTime } from '../kit/format/time.ts';
import { visibleLine } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Time } from '../kit/time.tsx';
import { nextText, reasonText } from './wording.ts';

type Props = {
  endpointId: string;
  forward: Forward;
  delivery: ForwardDelivery;
  onRetry: () => unknown;
  onSkip: () => void;
};

export function DeliveryRow({ endpointId, forward, delivery, onRetry, onSkip }: Props) {
  const { eventId, platform, receivedAt, state, attempts, nextAt } = delivery;
  const name = eventName(delivery);
  const reason = reasonText(delivery);
  const next = nextText(delivery, forward, Date.now());
  return (
    <li data-event={eventId}>
      <PlatformMark platform={platform} />
      <span class="stack">
        {receivedAt === null ? (
          <span class="faint small">The event is no longer stored</span>
        ) : (
          <Link class="cut" to={`/app/endpoints/${endpointId}/events/${eventId}`} title={eventId}>
            {name}
          </Link>
        )}
        <span class="faint small">{receivedAt === null ? <code>{eventId}</code> : <Time at={receivedAt} long />}</span>
      </span>
      <span class="forward-result stack">
        {reason !== '' && <span class="bad">{visibleLine(reason)}</span>}
        <span class="faint small">
          {attempts > 0 && `${formatCount(attempts, 'attempt')}${next === '' ? '' : ', '}`}
          {next !== '' && (
            <span title={nextAt === null ? undefined : formatExactTime(nextAt)}>
              {attempts > 0 ? 'next' : 'first attempt'} {next}
            </span>
          )}
        </span>
      </span>
      <span class="line tight">
        {(state === 'given_up' ? receivedAt !== null : state === 'failed' && nextAt !== null) && (
          <ActionButton kind="quiet" data-act="retry" keepsFocus={false} aria-label={`Retry ${name}`} act={onRetry}>
            Retry
          </ActionButton>
        )}
        <Button
          kind="quiet"
          data-act="skip"
          aria-label={`${state === 'given_up' ? 'Remove' : 'Skip'} ${name}`}
          onClick={onSkip}
        >
          {state === 'given_up' ? 'Remove' : 'Skip'}
        </Button>
      </span>
    </li>
  );
}

export const eventName = ({ eventType }: ForwardDelivery): string => visibleLine(eventType ?? 'No event type');
