/* How a forward is: its state, what waits since when and why, and how many events are in which state. */

import type { Forward } from '../../features/forwards/model.ts';
import { visibleLine } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { type DeliveryState, forwardPath } from './forwards-api.ts';
import { countOf, deliveryHints, deliveryLabels, lagSentence, reasonText, stateOf, stateSentence } from './wording.ts';

export const deliveryStates: readonly DeliveryState[] = ['waiting', 'failed', 'given_up'];

export const ForwardState = ({ forward }: { forward: Forward }) => {
  const { label, tone } = stateOf(forward);
  return <span class={`badge ${tone}`}>{label}</span>;
};

export function StateSentence({ forward }: { forward: Forward }) {
  const now = Date.now();
  const reason = reasonText(forward);
  return (
    <div class="stack soft">
      <p>
        {stateSentence(forward, now)} {lagSentence(forward)}
      </p>
      {reason !== '' && (
        <p>
          <span class="faint">Oldest failed event:</span> <span class="bad">{visibleLine(reason)}</span>
        </p>
      )}
    </div>
  );
}

type FiguresProps = {
  endpointId: string;
  forward: Forward;
  /** The list that is shown. */
  current?: DeliveryState;
};

/** The number of events in each state, which are links to their lists. */
export const ForwardFigures = ({ endpointId, forward, current }: FiguresProps) => (
  <nav class="forward-figures" aria-label={`Events of ${visibleLine(forward.name)}`}>
    {deliveryStates.map(state => {
      const amount = countOf(forward, state);
      const tone = amount === 0 ? 'faint' : state === 'waiting' ? '' : state === 'failed' ? 'warn' : 'bad';
      return (
        <Link
          key={state}
          class="box"
          replace={current !== undefined}
          to={`${forwardPath(endpointId, forward.id)}?state=${state}`}
          aria-current={state === current ? 'page' : undefined}
        >
          <strong class={`figures ${tone}`}>{amount.toLocaleString()}</strong> <span>{deliveryLabels[state]}</span>{' '}
          <span class="stack faint small">{deliveryHints[state]}</span>
        </Link>
      );
    })}
  </nav>
);
