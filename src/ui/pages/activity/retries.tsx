/* The retries of the senders of an endpoint, as they were observed. */

import type { RetrySchedule } from '../../../features/deliveries/model.ts';
import { formatGap } from '../../inspector/event/answered.ts';
import { api } from '../../kit/api.ts';
import { platformTitle } from '../../kit/format/platforms.ts';
import { formatCount } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { Card, Loaded } from '../../kit/page.tsx';
import { useQuery } from '../../kit/use-query.ts';

export function RetriesSection({ id }: { id: string }) {
  const query = useQuery(id, () => api.retries(id));
  return (
    <Card title="Retries">
      <Loaded query={query} what="the retries" rows={2} inCard>
        {schedule => <Observed schedule={schedule} />}
      </Loaded>
    </Card>
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
        Each sender's retry schedule, observed in the last {formatCount(events, 'event')}: the median time since the
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
    <table class="retries table figures">
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
