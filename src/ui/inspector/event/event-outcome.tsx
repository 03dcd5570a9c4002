/* The answer to one of several attempts, in their list. */

import type { EventSummary } from '../../../features/events/model.ts';
import { describeOutcome, rowAnswerOf } from './answered.ts';

export function AttemptAnswer({ event }: { event: Pick<EventSummary, 'answered' | 'refused'> }) {
  const answer = rowAnswerOf(event);
  return answer ? (
    <span class={`badge ${answer.tone}`} title={describeOutcome(event)}>
      {answer.text}
    </span>
  ) : (
    <span class="badge good">200</span>
  );
}
