/* Marks an endpoint that has a firing alert, or one whose notifications do not arrive. */

import type { Alert } from '../../features/alerts/model.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { visibleName } from '../kit/format/visible.ts';
import { HeaderMark } from '../kit/header-mark.tsx';
import { usePolled } from '../kit/use-polled.ts';
import { alertsApi } from './alerts-api.ts';

const everyMs = 15_000;

const countText = (count: number): string => (count === 1 ? '1 alert is firing' : `${count} alerts are firing`);

/** For the header of the endpoint. Nothing while all is well. */
export const AlertsMark = ({ endpoint }: { endpoint: Endpoint }) =>
  endpoint.alerts && endpoint.alerts.enabled > 0 ? <Mark endpointId={endpoint.id} /> : null;

function Mark({ endpointId }: { endpointId: string }) {
  const { value } = usePolled(
    endpointId,
    () => alertsApi.list(endpointId),
    () => true,
    () => everyMs,
  );
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
      title={`${isFiring ? `${countText(firing.length)}:` : "Notifications don't arrive:"}\n${namesOf(marked)}`}
    />
  );
}

const namesOf = (alerts: readonly Alert[]): string => alerts.map(({ name }) => visibleName(name)).join('\n');

function textOf(alerts: readonly Alert[], isFiring: boolean): string {
  const [only, ...others] = alerts;
  if (!isFiring) return 'Alert not delivered';
  return only && others.length === 0 ? `Alert: ${visibleName(only.name)}` : `${alerts.length} alerts`;
}

/** For the list of endpoints. */
export const AlertsBadge = ({ endpoint: { alerts } }: { endpoint: Endpoint }) =>
  !alerts || alerts.firing === 0 ? null : (
    <span class="badge bad" title={countText(alerts.firing)}>
      {alerts.firing === 1 ? 'Alert' : `${alerts.firing} alerts`}
    </span>
  );
