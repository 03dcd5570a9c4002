/* What other pages show of an endpoint's alerts: a mark while one fires or cannot notify. */

import type { AlertList } from '../../features/alerts/model.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { Pill } from '../kit/controls.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { type Query, usePolled } from '../kit/use-query.ts';
import { alertsApi } from './alerts-api.ts';

const markEveryMs = 15_000;

export const useAlerts = (endpointId: string, everyMs: number): Query<AlertList> =>
  usePolled(
    endpointId,
    () => alertsApi.list(endpointId),
    () => true,
    () => everyMs,
  );

/** For the tab of the alerts: how many fire, or else how many cannot notify. */
export const AlertsPill = ({ endpoint }: { endpoint: Endpoint }) =>
  endpoint.alerts && endpoint.alerts.enabled > 0 ? <Marked endpointId={endpoint.id} /> : null;

function Marked({ endpointId }: { endpointId: string }) {
  const { value } = useAlerts(endpointId, markEveryMs);
  const alerts = value?.alerts ?? [];
  const firing = alerts.filter(one => one.firing);
  const failing = alerts.filter(one => one.enabled && one.lastError !== null);
  const [tone, marked, text] =
    firing.length > 0
      ? (['bad', firing, 'is firing'] as const)
      : (['warn', failing, 'could not be delivered'] as const);
  return <Pill tone={tone} count={marked.length} lines={marked.map(({ name }) => `${visibleName(name)} ${text}`)} />;
}
