/* The webhook subscriptions of a connected app: where it is notified of new events. */
import type { AppSubscription, ConnectedApp } from '../../features/apps/model.ts';
import { api } from '../kit/api.ts';
import { Button } from '../kit/controls.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Time, Until } from '../kit/time.tsx';
import { showToast } from '../kit/toasts.tsx';

export function AppSubscriptions({ app, onEnded }: { app: ConnectedApp; onEnded: () => void }) {
  const end = async (subscription: AppSubscription): Promise<void> => {
    const isEnded = await confirm({
      title: `Stop notifying ${visibleLine(app.name)}?`,
      text: `${visibleLine(app.name)} gets no more events of this subscription, and events that wait are not sent. It keeps its access and can subscribe again.`,
      button: 'End subscription',
      run: () => api.endSubscription(app.id, subscription.id),
    });
    if (!isEnded) return;
    onEnded();
    showToast('Subscription ended.');
  };
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
