/* What other pages show of an endpoint's alerts: a mark while one fires or cannot notify, and the card of the settings. */

import type { Alert, AlertList } from '../../features/alerts/model.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { visibleName } from '../kit/format/visible.ts';
import { HeaderMark } from '../kit/header-mark.tsx';
import { Link } from '../kit/navigation.tsx';
import { Card, Loaded } from '../kit/page.tsx';
import { type Query, usePolled } from '../kit/use-query.ts';
import { AlertState } from './alert-state.tsx';
import { alertsApi } from './alerts-api.ts';

const markEveryMs = 15_000;
const cardEveryMs = 10_000;

export const useAlerts = (endpointId: string, everyMs: number): Query<AlertList> =>
  usePolled(
    endpointId,
    () => alertsApi.list(endpointId),
    () => true,
    () => everyMs,
  );

const countText = (count: number): string => (count === 1 ? '1 alert is firing' : `${count} alerts are firing`);

/** For the header of the endpoint. Nothing while all is well. */
export const AlertsMark = ({ endpoint }: { endpoint: Endpoint }) =>
  endpoint.alerts && endpoint.alerts.enabled > 0 ? <Mark endpointId={endpoint.id} /> : null;

function Mark({ endpointId }: { endpointId: string }) {
  const { value } = useAlerts(endpointId, markEveryMs);
  const alerts = value?.alerts ?? [];
  const firing = alerts.filter(one => one.firing);
  const failing = alerts.filter(one => one.enabled && one.lastError !== null);
  const marked = firing.length > 0 ? firing : failing;
  if (marked.length === 0) return null;
  const isFiring = marked === firing;
  return (
    <HeaderMark
      tone={isFiring ? 'bad' : 'warn'}
      to={`/app/endpoints/${endpointId}/alerts`}
      text={textOf(marked, isFiring)}
      short={marked.length === 1 ? 'Alert' : `${marked.length} alerts`}
      title={`${isFiring ? `${countText(firing.length)}:` : 'Notifications are failing:'}\n${namesOf(marked)}`}
    />
  );
}

const namesOf = (alerts: readonly Alert[]): string => alerts.map(({ name }) => visibleName(name)).join('\n');

function textOf(alerts: readonly Alert[], isFiring: boolean): string {
  const [only, ...others] = alerts;
  if (!isFiring) return 'Notification failed';
  return only && others.length === 0 ? `Alert: ${visibleName(only.name)}` : `${alerts.length} alerts`;
}

/** The card of the settings. */
export function AlertsSection({ endpoint: { id } }: { endpoint: Endpoint }) {
  const query = useAlerts(id, cardEveryMs);
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
              Get notified in Slack, Discord, ntfy, by email or by webhook when this endpoint goes silent, signatures
              are invalid or payloads change.
            </p>
          )
        }
      </Loaded>
      <div class="row">
        <Link class="button plain" to={`/app/endpoints/${id}/alerts`}>
          {hasSome ? 'Edit alerts' : 'Add alerts'}
        </Link>
      </div>
    </Card>
  );
}
