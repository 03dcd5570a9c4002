/* The way of a delivery in the head of its event: one line of small states, each a link to the part that explains it. */

import type { EventDetail } from '../../../features/events/model.ts';
import { Link } from '../../kit/navigation.tsx';
import { FilterBy } from '../filter/filter-by.tsx';
import { useDelivery } from '../list/use-delivery.ts';
import { hrefOfTab } from '../state/inspector-state.ts';
import { isDefaultAnswer } from './answered.ts';
import { type Step, wayOf } from './way.ts';

export function EventWay({ event, attempts }: { event: EventDetail; attempts: number }) {
  const delivery = useDelivery(event.endpointId, attempts > 1 ? { ...event.delivery, attempts } : undefined);
  return (
    <ol class="way full" aria-label="The way of this delivery">
      {wayOf({ event, attempts, delivery }).map(step => (
        <li key={step.name}>
          <StepLink step={step} to={targetOf(step, event, attempts)} />
          {step.name === 'Answer' && <AnswerFilter event={event} />}
        </li>
      ))}
    </ol>
  );
}

function targetOf({ name }: Step, { endpointId, forwards }: EventDetail, attempts: number): string | undefined {
  switch (name) {
    case 'Attempts':
      return attempts > 1 ? hrefOfTab('attempts') : undefined;
    case 'Checks':
      return hrefOfTab('signature');
    case 'Answer':
      return `/app/endpoints/${endpointId}/answers`;
    case 'Forwards':
      return forwards.length > 0 ? hrefOfTab('forwards') : `/app/endpoints/${endpointId}/destinations`;
    case 'Replays':
      return hrefOfTab('replays');
  }
}

function StepLink({ step, to }: { step: Step; to: string | undefined }) {
  const { name, state, text, more, sentence } = step;
  const content = (
    <>
      <span class="step">{name} </span>
      <span class="state">
        <span class={`dot ${state}`} />
        <span>
          {text}
          {more && <span class="faint"> · {more}</span>}
          {sentence && <span class="offscreen">. {sentence}</span>}
        </span>
      </span>
    </>
  );
  const props = { class: 'way-step', title: sentence || undefined, children: content };
  return to === undefined ? <span {...props} /> : <Link to={to} {...props} />;
}

function AnswerFilter({ event: { answered, refused } }: { event: EventDetail }) {
  if (refused !== null) return <FilterBy field="is" value="refused" />;
  if (isDefaultAnswer(answered) || answered.status === null) return null;
  return <FilterBy field="answered" value={String(answered.status)} />;
}
