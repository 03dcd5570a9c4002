/* The section of an endpoint's settings with the retries that were observed. */

import type { RetrySchedule } from '../../features/deliveries/model.ts';
import { api } from '../api.ts';
import { Notice, Skeleton } from '../components/controls.tsx';
import { useQuery } from '../components/use-query.ts';
import { formatGap } from '../format/attempts.ts';
import { platformTitle } from '../format/platforms.ts';
import { formatCount } from '../format/time.ts';
import { visibleLine } from '../format/visible.ts';

export function RetriesSection({ id }: { id: string }) {
  const { value, problem } = useQuery(id, () => api.retries(id));
  return (
    <section class="card section">
      <h2>Retries</h2>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {value ? <Observed schedule={value} /> : !problem && <Skeleton rows={2} kind="line" />}
    </section>
  );
}

const Observed = ({ schedule: { senders, events } }: { schedule: RetrySchedule }) =>
  senders.length === 0 ? (
    <p class="lead">
      {events === 0
        ? 'When a sender retries a delivery, its retry schedule appears here.'
        : `No retries among the last ${formatCount(events, 'event')}.`}
    </p>
  ) : (
    <>
      <p class="lead">
        The retry schedule of each sender, from the last {formatCount(events, 'event')}: the median time since the
        previous attempt.
      </p>
      {senders.map(sender => (
        <Sender key={`${sender.platform} ${sender.basis}`} sender={sender} />
      ))}
    </>
  );

const Sender = ({ sender }: { sender: RetrySchedule['senders'][number] }) => (
  <>
    <h3 class="panel-title">
      {visibleLine(platformTitle(sender.platform))}, {formatCount(sender.deliveries, 'delivery').replace(/ys$/, 'ies')}
    </h3>
    <table class="retries">
      <thead>
        <tr>
          <th scope="col">Retry</th>
          <th scope="col">After</th>
          <th scope="col">Deliveries</th>
        </tr>
      </thead>
      <tbody>
        {sender.retries.map(({ attempt, gapMs, deliveries }) => (
          <tr key={attempt}>
            <th scope="row">{attempt - 1}</th>
            <td>{formatGap(gapMs)}</td>
            <td>{deliveries.toLocaleString()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </>
);
