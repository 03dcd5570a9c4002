/* The section of an endpoint's settings that shows its alerts, and links to the page that edits them. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Card, Loaded } from '../kit/page.tsx';
import { usePolled } from '../kit/use-polled.ts';
import { AlertState } from './alert-state.tsx';
import { alertsApi } from './alerts-api.ts';

const everyMs = 10_000;

export function AlertsSection({ endpoint: { id } }: { endpoint: Endpoint }) {
  const query = usePolled(
    id,
    () => alertsApi.list(id),
    () => true,
    () => everyMs,
  );
  const hasSome = query.value !== undefined && query.value.alerts.length > 0;
  return (
    <Card title="Alerts" id="alerts">
      <Loaded query={query} what="the alerts" rows={1} inCard>
        {({ alerts }) =>
          hasSome ? (
            <ul class="col tight">
              {alerts.map(alert => (
                <li key={alert.id} class="line baseline">
                  <AlertState alert={alert} />
                  <span class="breaks">{visibleName(alert.name)}</span>
                </li>
              ))}
            </ul>
          ) : (
            <p class="lead">
              Hear of it when this endpoint falls silent, when signatures are wrong, or when payloads change: in Slack,
              Discord, ntfy, by email, or through a webhook.
            </p>
          )
        }
      </Loaded>
      <div class="button-row">
        <Link class="button plain" to={`/app/endpoints/${id}/alerts`}>
          {hasSome ? 'Edit alerts' : 'Add alerts'}
        </Link>
      </div>
    </Card>
  );
}
