/* The section of an endpoint's settings that pauses it, and the notice that it is paused. */

import { useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { api } from '../kit/api.ts';
import { Button, Dialog, Notice } from '../kit/controls.tsx';
import { formatCount } from '../kit/format/time.ts';
import { Time } from '../kit/time.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { useWorkspace } from '../kit/workspace.tsx';

function usePause(endpoint: Endpoint): { busy: boolean; setPaused: (paused: boolean) => Promise<void> } {
  const { reloadEndpoints } = useWorkspace();
  const [busy, setBusy] = useState(false);
  const setPaused = async (paused: boolean): Promise<void> => {
    setBusy(true);
    try {
      await api.setPaused(endpoint.id, paused);
      showToast(paused ? 'The endpoint is paused.' : 'The endpoint is receiving again.');
    } catch (error) {
      showError(error);
    }
    reloadEndpoints();
    setBusy(false);
  };
  return { busy, setPaused };
}

/** Says plainly that nothing is stored; nothing for an endpoint that is not paused. */
export function PausedNotice({ endpoint }: { endpoint: Endpoint }) {
  const { busy, setPaused } = usePause(endpoint);
  if (endpoint.pausedAt === null) return null;
  const { refusedWhilePaused: refused } = endpoint;
  return (
    <Notice
      tone="warn"
      title="Paused: deliveries are refused and not stored"
      action={
        <Button busy={busy} onClick={() => setPaused(false)}>
          Resume
        </Button>
      }
    >
      Paused <Time at={endpoint.pausedAt} long />. Senders get a 503 and are asked to retry later
      {refused ? `; ${formatCount(refused, 'delivery').replace(/ys$/, 'ies')} refused so far` : ''}.
    </Notice>
  );
}

export function PauseSection({ endpoint }: { endpoint: Endpoint }) {
  const { busy, setPaused } = usePause(endpoint);
  const [isAsking, setIsAsking] = useState(false);
  return (
    <section class="card section" id="pause">
      <h2>Pause</h2>
      {endpoint.paused ? (
        <PausedNotice endpoint={endpoint} />
      ) : (
        <>
          <p class="lead">
            A paused endpoint stores nothing: it answers every delivery with 503 and Retry-After, so that senders try
            again later. What a sender gives up on while the endpoint is paused is lost.
          </p>
          <div class="button-row">
            <Button onClick={() => setIsAsking(true)}>Pause endpoint</Button>
          </div>
        </>
      )}
      {isAsking && (
        <Dialog title="Pause this endpoint?" onClose={() => setIsAsking(false)}>
          <p>
            New deliveries will be refused with 503 and not stored, and neither are checks that a platform makes when
            you register the URL. Most platforms retry for hours or days, some never. Existing events stay.
          </p>
          <div class="dialog-actions">
            <Button onClick={() => setIsAsking(false)}>Cancel</Button>
            <Button
              kind="danger"
              busy={busy}
              onClick={() => {
                setIsAsking(false);
                void setPaused(true);
              }}
            >
              Pause endpoint
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
