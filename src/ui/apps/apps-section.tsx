/* Apps and agents connected with OAuth, and their webhook subscriptions. Revoking ends their access immediately. */

import type { AppSubscription, ConnectedApp } from '../../features/apps/model.ts';
import { api } from '../kit/api.ts';
import { Button, Empty } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Card, Loaded } from '../kit/page.tsx';
import { LastUsed, Time, Until } from '../kit/time.tsx';
import { useQuery } from '../kit/use-query.ts';

export function AppsSection() {
  const apps = useQuery('apps', api.apps);
  const revoke = (app: ConnectedApp) =>
    confirm({
      title: `Revoke access for ${visibleLine(app.name)}?`,
      text: 'The app loses access immediately, API keys it created stop working, and its subscriptions end. It can ask for access again later.',
      button: 'Revoke',
      run: () => api.revokeApp(app.id),
      onDone: apps.reload,
      toast: 'Access revoked.',
    });
  const mcp = `${location.origin}/mcp`;
  return (
    <Card
      title="Connected apps"
      lead="Apps and AI agents that you connected by signing in, without an API key. To connect an agent (MCP), give it this URL:"
    >
      <div class="address line tight">
        <code class="cut soft">{mcp}</code>
        <CopyButton text={mcp} what="MCP URL" />
      </div>
      <Loaded query={apps} what="the connected apps" rows={2} inCard>
        {list =>
          list.length === 0 ? (
            <Empty title="No connected apps">Apps appear here once you approve their request for access.</Empty>
          ) : (
            <ul class="rows">
              {list.map(app => (
                <AppRow key={app.id} app={app} onRevoke={() => revoke(app)} onEnded={apps.reload} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

const AppRow = ({ app, onRevoke, onEnded }: { app: ConnectedApp; onRevoke: () => void; onEnded: () => void }) => (
  <li>
    <div class="stack grow">
      <strong>{visibleLine(app.name)}</strong>
      <span class="faint">
        <code class="wrap">{visibleLine(app.clientId)}</code> · connected <Time at={app.createdAt} long /> ·{' '}
        <LastUsed at={app.lastUsedAt} />
      </span>
    </div>
    <Button kind="quiet" aria-label={`Revoke ${visibleLine(app.name)}`} onClick={onRevoke}>
      Revoke
    </Button>
    <AppSubscriptions app={app} onEnded={onEnded} />
  </li>
);

function AppSubscriptions({ app, onEnded }: { app: ConnectedApp; onEnded: () => void }) {
  const end = (subscription: AppSubscription) =>
    confirm({
      title: `Stop notifying ${visibleLine(app.name)}?`,
      text: `${visibleLine(app.name)} gets no more events of this subscription, and events that wait are not sent. It keeps its access and can subscribe again.`,
      button: 'End subscription',
      run: () => api.endSubscription(app.id, subscription.id),
      onDone: onEnded,
      toast: 'Subscription ended.',
    });
  if (app.subscriptions.length === 0) return null;
  return (
    <ul class="rows" aria-label={`Subscriptions of ${visibleLine(app.name)}`}>
      {app.subscriptions.map(one => (
        <li key={one.id}>
          <div class="stack grow">
            <span>
              Notified of {one.name === 'alert.changed' ? 'alerts' : 'new events'} at {placeOf(one)}
              {one.where !== '' && (
                <>
                  {' '}
                  that match <code class="wrap">{visibleLine(one.where)}</code>
                </>
              )}{' '}
              {isFailing(one) && <span class="badge bad">Failing</span>}
            </span>
            <Details subscription={one} />
          </div>
          <Button
            kind="quiet"
            aria-label={`End the subscription of ${visibleLine(app.name)} at ${placeOf(one)}`}
            onClick={() => end(one)}
          >
            End
          </Button>
        </li>
      ))}
    </ul>
  );
}

const placeOf = ({ endpointName }: AppSubscription): string =>
  endpointName === null ? 'all endpoints' : visibleName(endpointName);

/** Events wait, and the last attempt was not accepted. */
const isFailing = ({ waiting, lastStatus, lastDeliveryAt }: AppSubscription): boolean =>
  waiting > 0 && (lastStatus === null ? lastDeliveryAt !== null : lastStatus < 200 || lastStatus > 299);

const Details = ({ subscription: one }: { subscription: AppSubscription }) => (
  <span class="faint">
    <code class="wrap">{visibleLine(one.origin)}</code> · subscribed <Time at={one.createdAt} long /> ·{' '}
    {one.lastDeliveryAt === null ? (
      'nothing delivered yet'
    ) : (
      <>
        last delivered <Time at={one.lastDeliveryAt} long />
      </>
    )}
    {one.waiting > 0 && ` · ${formatCount(one.waiting, 'event')} waiting`}
    {one.lastStatus !== null && isFailing(one) && ` · last response ${one.lastStatus}`}
    {one.refreshBefore !== null && (
      <>
        {' '}
        · ends <Until at={one.refreshBefore} /> unless the app renews it
      </>
    )}
  </span>
);
