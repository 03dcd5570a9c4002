/* The answer to the sender of an event, if it was not the default: chosen by a rule, or a refusal by the guard. */

import type { EventDetail, EventSummary } from '../../../features/events/model.ts';
import { FilterBy } from '../filter/filter-by.tsx';
import { describeOutcome, isDefaultAnswer, rowAnswerOf } from './answered.ts';

/** In the row of a list. */
export function RowAnswer({ event }: { event: Pick<EventSummary, 'answered' | 'refused'> }) {
  const answer = rowAnswerOf(event);
  return answer ? (
    <span class={`badge row-answer ${answer.tone}`} title={describeOutcome(event)}>
      <span class="cut">{answer.text}</span>
    </span>
  ) : null;
}

/** For one of several attempts: always shown. */
export const AttemptAnswer = ({ event }: { event: Pick<EventSummary, 'answered' | 'refused'> }) =>
  rowAnswerOf(event) ? <RowAnswer event={event} /> : <span class="badge good">200</span>;

/** In the head of an open event, with a button that filters by it. */
export function EventOutcome({ event }: { event: EventDetail | EventSummary }) {
  const { answered, refused } = event;
  if (refused === null && isDefaultAnswer(answered)) return null;
  return (
    <p class={`event-outcome row tight full breaks ${refused === null ? 'soft' : 'warn'}`}>
      <span>{describeOutcome(event)}</span>
      {refused !== null ? (
        <FilterBy field="is" value="refused" />
      ) : (
        answered.status !== null && <FilterBy field="answered" value={String(answered.status)} />
      )}
    </p>
  );
}
