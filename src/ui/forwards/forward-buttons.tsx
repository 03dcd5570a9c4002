/* The buttons of a forward: pause or resume, ask a destination that is down, edit, delete. */

import { useState } from 'preact/hooks';
import type { Forward } from '../../features/forwards/model.ts';
import { Button, Dialog } from '../kit/controls.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { Link, navigate } from '../kit/navigation.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { forwardPath, forwardsApi, forwardsPath } from './forwards-api.ts';
import { removalText } from './wording.ts';

type Props = { endpointId: string; forward: Forward; onChange: (forward: Forward) => void };

export function ForwardButtons({ endpointId, forward, onChange }: Props) {
  const [busy, setBusy] = useState<'' | 'ask' | 'enable' | 'remove'>('');
  const [isAsking, setIsAsking] = useState(false);
  const name = visibleName(forward.name);
  const run = async (what: typeof busy, work: () => Promise<string>): Promise<void> => {
    const focused = document.activeElement;
    setBusy(what);
    try {
      showToast(await work());
    } catch (error) {
      showError(error);
    }
    setBusy('');
    // A button that is busy cannot have the focus.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body && focused instanceof HTMLElement) focused.focus();
    });
  };
  const setEnabled = () =>
    run('enable', async () => {
      onChange(await forwardsApi.setEnabled(endpointId, forward.id, !forward.enabled));
      return forward.enabled ? `${name} is paused. Events wait.` : `${name} goes on.`;
    });
  // The oldest failed event is tried at once; without one, what waits is due.
  const ask = () =>
    run('ask', async () => {
      const { deliveries } = await forwardsApi.deliveries(endpointId, forward.id, 'failed', { limit: 1 });
      const [oldest] = deliveries;
      onChange(
        oldest
          ? await forwardsApi.act(endpointId, forward.id, 'retry', { eventId: oldest.eventId })
          : await forwardsApi.setEnabled(endpointId, forward.id, true),
      );
      return 'The destination is asked now.';
    });
  const remove = () =>
    run('remove', async () => {
      await forwardsApi.remove(endpointId, forward.id);
      navigate(forwardsPath(endpointId));
      return `${name} was deleted.`;
    });
  return (
    <div class="button-row">
      {forward.state === 'probing' && (
        <Button icon="replay" kind="primary" busy={busy === 'ask'} onClick={ask}>
          Ask it now
        </Button>
      )}
      <Button
        icon={forward.enabled ? 'pause' : 'play'}
        kind={forward.enabled ? 'plain' : 'primary'}
        busy={busy === 'enable'}
        onClick={setEnabled}
      >
        {forward.enabled ? 'Pause' : 'Resume'}
      </Button>
      <Link class="button plain" to={`${forwardPath(endpointId, forward.id)}/edit`}>
        Edit
      </Link>
      <Button kind="danger" icon="trash" onClick={() => setIsAsking(true)}>
        Delete
      </Button>
      {isAsking && (
        <Dialog title={`Delete ${name}?`} onClose={() => setIsAsking(false)}>
          <p>{removalText(forward)}</p>
          <div class="dialog-actions">
            <Button onClick={() => setIsAsking(false)}>Keep it</Button>
            <Button kind="danger" busy={busy === 'remove'} onClick={remove}>
              Delete the forward
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
