/* Occurrences of `alert.changed`: the stored changes of the state of a team's alerts. */
import type { TeamAccess } from '../../core/access/principal.ts';
import { alertChangesKeptMs } from '../../core/alert.ts';
import type { AlertKind } from '../../shared/alerts.ts';
import type { WatchOf } from './arguments.ts';
import type { EventSource, Found } from './source.ts';

type AlertWatch = WatchOf<'alert.changed'>;

/** A change of an alert's state. `at`: epoch ms. */
export type AlertChangeRow = {
  seq: number;
  id: string;
  alertId: string;
  alertName: string;
  kind: AlertKind;
  firing: boolean;
  text: string;
  at: number;
  endpointId: string;
  endpointName: string;
};
/** The alerts of one endpoint, by its row number, or of the whole team. */
export type AlertScope = { teamId: string; endpoint: number | undefined };

export function createAlertEvents(options: {
  /** @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<{ seq: number }>;
  store: {
    newestChange: () => Promise<number>;
    changesSince: (
      scope: AlertScope,
      options: { seq: number; oldest: number; limit: number },
    ) => Promise<{ rows: AlertChangeRow[]; isIncomplete: boolean }>;
  };
  now: () => number;
  baseUrl: string;
}): EventSource<AlertWatch> {
  const { endpoint: findEndpoint, store, now, baseUrl } = options;

  const scopeOf = async (principal: TeamAccess, { endpointId }: AlertWatch): Promise<AlertScope> => ({
    teamId: principal.teamId,
    endpoint: endpointId === undefined ? undefined : (await findEndpoint(principal, endpointId)).seq,
  });
  const toFound = ({ seq, id, at, ...change }: AlertChangeRow): Found => {
    const { alertId, alertName, kind, firing, text, endpointId, endpointName } = change;
    const data = {
      ...{ alert: { id: alertId, name: alertName }, kind, state: firing ? ('firing' as const) : ('resolved' as const) },
      ...{ text, endpointId, endpointName, link: `${baseUrl}/app/endpoints/${endpointId}` },
    };
    return { seq, eventId: id, at, data };
  };

  return {
    scopeId: ({ teamId }, { endpointId }) => endpointId ?? teamId,
    newest: store.newestChange,
    check: async (principal, watch) => void (await scopeOf(principal, watch)),
    async after({ principal }, watch, { seq, limit, oldest }) {
      const scope = await scopeOf(principal, watch);
      // Read first: later changes are after it.
      const newest = await store.newestChange();
      const since = Math.max(oldest, now() - alertChangesKeptMs);
      const { rows, isIncomplete } = await store.changesSince(scope, { seq, oldest: since, limit: limit + 1 });
      const found = rows.slice(0, limit).map(toFound);
      const hasMore = rows.length > limit;
      const last = found.at(-1)?.seq ?? 0;
      // A position after the newest is from before a backup was restored.
      return { found, seq: hasMore ? last : Math.max(newest, last), hasMore, truncated: isIncomplete };
    },
    async find({ principal }, watch, seq) {
      const scope = await scopeOf(principal, watch);
      const oldest = now() - alertChangesKeptMs;
      const { rows } = await store.changesSince(scope, { seq: seq - 1, oldest, limit: 1 });
      return rows.filter(row => row.seq === seq).map(toFound)[0];
    },
  };
}
