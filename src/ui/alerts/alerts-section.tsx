/* The section of an endpoint's settings that shows its alerts, and links to the page that edits them. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { Notice, Skeleton } from '../kit/controls.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { usePolled } from '../kit/use-polled.ts';
import { AlertState } from './alert-state.tsx';
import { alertsApi } from './alerts-api.ts';

const everyMs = 10_000;

export function AlertsSection({ endpoint: { id } }: { endpoint: Endpoint }) {
  const { value, problem } = usePolled(
    id,
    () => alertsApi.list(id),
    () => true,
    () => everyMs,
  );
  const alerts = value?.alerts;
  return (
    <section class="card section" id="alerts">
      <h2>Alerts</h2>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {!alerts && !problem && <Skeleton rows={1} />}
      {alerts?.length === 0 && (
        <p class="lead">
          Hear of it when this endpoint falls silent, when signatures are wrong, or when payloads change: in Slack,
          Discord, ntfy, by email, or through a webhook.
        </p>
      )}
      {alerts && alerts.length > 0 && (
        <ul class="rule-summaries">
          {alerts.map(alert => (
            <li key={alert.id}>
              <AlertState alert={alert} />
              <span>{visibleName(alert.name)}</span>
            </li>
          ))}
        </ul>
      )}
      <div class="button-row">
        <Link class="button plain" to={`/app/endpoints/${id}/alerts`}>
          {alerts && alerts.length > 0 ? 'Edit alerts' : 'Add alerts'}
        </Link>
      </div>
    </section>
  );
}
