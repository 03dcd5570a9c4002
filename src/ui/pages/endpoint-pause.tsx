/* The section of an endpoint's settings that pauses it, and the line on all its pages while it is paused. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { ActionButton } from '../kit/action.tsx';
import { api } from '../kit/api.ts';
import { Button } from '../kit/controls.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { formatCount } from '../kit/format/time.ts';
import { Card } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { showToast } from '../kit/toasts.tsx';
import { useWorkspace } from '../kit/workspace.tsx';

function useSetPaused({ id }: Endpoint): (paused: boolean) => Promise<void> {
  const { reloadEndpoints } = useWorkspace();
  return async paused => {
    try {
      await api.changeEndpoint(id, { paused });
      showToast(paused ? 'The endpoint is paused.' : 'The endpoint is receiving again.');
    } finally {
      reloadEndpoints();
    }
  };
}

/** The line under the tab bar that says that nothing is stored; nothing for an endpoint that is not paused. */
export function PausedLine({ endpoint }: { endpoint: Endpoint }) {
  const setPaused = useSetPaused(endpoint);
  if (endpoint.pausedAt === null) return null;
  const { refusedWhilePaused: refused } = endpoint;
  return (
    <div class="bar-line row rigid warn" role="status">
      <span>
        <strong>Paused: deliveries are refused and not stored.</strong> Paused <Time at={endpoint.pausedAt} long />.
        Senders get 503 with Retry-After
        {refused ? `; ${formatCount(refused, 'delivery').replace(/ys$/, 'ies')} refused so far` : ''}.
      </span>
      <ActionButton act={() => setPaused(false)}>Resume</ActionButton>
    </div>
  );
}

export function PauseSection({ endpoint }: { endpoint: Endpoint }) {
  const setPaused = useSetPaused(endpoint);
  const pause = () =>
    confirm({
      title: 'Pause this endpoint?',
      text: 'New deliveries are refused with 503 and not stored, including the checks platforms make when you register the URL. Most platforms retry for hours or days, some never. Stored events stay.',
      button: 'Pause endpoint',
      run: () => setPaused(true),
    });
  return (
    <Card title="Pause" id="pause">
      <p class="lead">
        A paused endpoint stores nothing and responds with 503 and Retry-After, so that senders retry later. Deliveries
        that a sender stops retrying in that time are lost.
      </p>
      {!endpoint.paused && (
        <div class="row">
          <Button onClick={pause}>Pause endpoint</Button>
        </div>
      )}
    </Card>
  );
}
