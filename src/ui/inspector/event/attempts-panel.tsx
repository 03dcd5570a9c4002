/* The attempts of an event's delivery: when each came, what it was answered, and how it differs from the one before. */

import type { Delivery } from '../../../features/deliveries/model.ts';
import type { EventDetail } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import { Link } from '../../kit/navigation.tsx';
import { Loaded } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { useQuery } from '../../kit/use-query.ts';
import { RowEnd } from '../list/row-end.tsx';
import { describeAttempts, describeOutcome, formatGap } from './answered.ts';

const bases: Record<Delivery['basis'], string> = {
  header: 'Recognised by the delivery id in a header.',
  body: 'Recognised by the delivery id in the body.',
  content: 'Recognised by identical requests, each within 72 hours of the previous one.',
};

export function AttemptsPanel({ event, attempts }: { event: EventDetail; attempts: number }) {
  const { endpointId, delivery: place } = event;
  const query = useQuery(`${endpointId} ${place.key} ${attempts}`, () => api.delivery(endpointId, place.key));
  return (
    <Loaded query={query} what="the attempts" inCard>
      {delivery => <AttemptList event={event} delivery={delivery} attempts={attempts} />}
    </Loaded>
  );
}

type AttemptListProps = { event: EventDetail; delivery: Delivery; attempts: number };

function AttemptList({ event: { id, endpointId }, delivery, attempts }: AttemptListProps) {
  const base = `/app/endpoints/${endpointId}`;
  return (
    <div class="scroll-pane col loose">
      <p class="lead">
        {describeAttempts(attempts, delivery.attempts)}. {bases[delivery.basis]}{' '}
        {delivery.bodiesDiffer ? 'The bodies differ.' : 'Their bodies are identical.'}
      </p>
      <ul class="rows">
        {delivery.attempts.map((attempt, i) => (
          <AttemptItem
            key={attempt.id}
            attempt={attempt}
            isShown={attempt.id === id}
            href={`${base}/events/${attempt.id}`}
            compareHref={i > 0 ? `${base}/compare?a=${delivery.attempts[i - 1]?.id}&b=${attempt.id}` : undefined}
          />
        ))}
      </ul>
    </div>
  );
}

type AttemptItemProps = {
  attempt: Delivery['attempts'][number];
  isShown: boolean;
  href: string;
  compareHref: string | undefined;
};

function AttemptItem({ attempt, isShown, href, compareHref }: AttemptItemProps) {
  return (
    <li class={`attempt ${isShown ? 'shown' : ''}`}>
      <Link to={href} aria-current={isShown ? 'true' : undefined}>
        Attempt {attempt.delivery.attempt}
      </Link>
      <RowEnd event={attempt} attempts="none" />
      <span class="faint">
        <Time at={attempt.receivedAt} long />
        {attempt.gapMs !== null && `, ${formatGap(attempt.gapMs)} after the previous one`}. {describeOutcome(attempt)}
      </span>
      {compareHref && <Link to={compareHref}>Compare with attempt {attempt.delivery.attempt - 1}</Link>}
    </li>
  );
}
