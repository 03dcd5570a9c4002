/* How a forward is: its state, what it sent in the last 24 hours, and how many events it has not delivered, since when and why. */

import type { Forward } from '../../features/forwards/model.ts';
import { formatCount, formatDuration } from '../kit/format/time.ts';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Icon } from '../kit/icons.tsx';
import { Link } from '../kit/navigation.tsx';
import { Strip } from '../kit/strip.tsx';
import { type DeliveryState, forwardPath } from './forwards-api.ts';
import { useForwardStats } from './use-forwards.ts';
import {
  countOf,
  deliveryHints,
  deliveryLabels,
  lagSentence,
  reasonText,
  stateOf,
  stateSentence,
  successText,
} from './wording.ts';

export const deliveryStates: readonly DeliveryState[] = ['waiting', 'failed', 'given_up'];

/** @param isStale the last look at the forward has failed */
export const ForwardState = ({ forward, isStale }: { forward: Forward; isStale: boolean }) => {
  if (isStale) return <span class="badge">Unknown</span>;
  const { label, tone } = stateOf(forward);
  return tone === 'good' ? (
    <span class="line tight soft small">
      <Icon name="check" />
      {label}
    </span>
  ) : (
    <span class={`badge ${tone}`}>{label}</span>
  );
};

export function StateSentence({ forward }: { forward: Forward }) {
  const now = Date.now();
  const reason = visibleLine(reasonText(forward));
  const isDown = forward.state === 'probing';
  return (
    <p class="soft breaks">
      {isDown && reason !== '' && <strong class="bad">{reason}</strong>} {stateSentence(forward, now)}{' '}
      {lagSentence(forward)}
      {!isDown && reason !== '' && (
        <>
          {' '}
          Oldest failed event: <strong>{reason}</strong>
        </>
      )}
    </p>
  );
}

/** The last 24 hours as a strip and as figures. The figures stay while they cannot be refreshed. */
export function ForwardFigures({ endpointId, forward }: { endpointId: string; forward: Forward }) {
  const { value: stats, problem } = useForwardStats(endpointId, forward.id);
  const isIdle = stats !== undefined && stats.delivered + stats.failed === 0;
  const duration = (ms: number | null | undefined): string =>
    ms === null || ms === undefined ? '–' : formatDuration(ms);
  const figures: [label: string, value: string][] = [
    ['delivered', stats ? stats.delivered.toLocaleString() : '–'],
    ['success', stats ? successText(stats) : '–'],
    ['p50', duration(stats?.p50Ms)],
    ['p95', duration(stats?.p95Ms)],
  ];
  return (
    <>
      <figure class="forward-chart">
        {stats ? (
          <Strip
            counts={stats.buckets.map(({ delivered }) => delivered)}
            failed={stats.buckets.map(({ failed }) => failed)}
            label={`${stats.delivered.toLocaleString()} delivered, ${formatCount(stats.failed, 'failed attempt')}`}
          />
        ) : (
          <span class="strip" />
        )}
        <figcaption class="faint small" title={problem}>
          {problem
            ? `Couldn't ${stats ? 'refresh' : 'load'} the figures`
            : isIdle
              ? 'Nothing sent in the last 24 hours'
              : 'Last 24 hours'}
        </figcaption>
      </figure>
      <dl class="forward-figures figures">
        {figures.map(([label, value]) => (
          <div key={label} class="stack">
            <dt class="faint small">{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

type CountsProps = {
  endpointId: string;
  forward: Forward;
  current?: DeliveryState;
};

/** The numbers of events in each state that has some, which are links to their lists. */
export const ForwardCounts = ({ endpointId, forward, current }: CountsProps) => (
  <nav class="row tight figures" aria-label={`Events of ${visibleName(forward.name)}`}>
    {deliveryStates
      .filter(state => state === current || countOf(forward, state) > 0)
      .map(state => (
        <Link
          key={state}
          class="nav-link line tight"
          replace={current !== undefined}
          to={`${forwardPath(endpointId, forward.id)}?state=${state}`}
          title={deliveryHints[state]}
          aria-current={state === current ? 'page' : undefined}
        >
          <strong>{countOf(forward, state).toLocaleString()}</strong> {deliveryLabels[state].toLowerCase()}
        </Link>
      ))}
  </nav>
);
