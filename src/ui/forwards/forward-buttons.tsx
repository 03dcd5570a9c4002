/* The buttons of a forward: pause or resume, ask a destination that is down, edit, delete. */

import type { Forward } from '../../features/forwards/model.ts';
import { ActionButton } from '../kit/action.tsx';
import { Button } from '../kit/controls.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { Link, navigate } from '../kit/navigation.tsx';
import { showToast } from '../kit/toasts.tsx';
import { destinationsPath, forwardPath, forwardsApi } from './forwards-api.ts';
import { removalText } from './wording.ts';

type Props = { endpointId: string; forward: Forward; onChange: (forward: Forward) => void };

/** Tries a destination that is down at once. */
export function AskButton({ endpointId, forward, onChange }: Props) {
  if (forward.state !== 'probing') return null;
  // The oldest failed event is tried at once; without one, what waits is due.
  const ask = async (): Promise<void> => {
    const { deliveries } = await forwardsApi.deliveries(endpointId, forward.id, 'failed', { limit: 1 });
    const [oldest] = deliveries;
    onChange(
      oldest
        ? await forwardsApi.act(endpointId, forward.id, 'retry', { eventId: oldest.eventId })
        : await forwardsApi.setEnabled(endpointId, forward.id, true),
    );
    showToast('Trying the destination now.');
  };
  return (
    <ActionButton icon="replay" act={ask}>
      Try now
    </ActionButton>
  );
}

export function PauseButton({ endpointId, forward, onChange }: Props) {
  const setEnabled = async (): Promise<void> => {
    onChange(await forwardsApi.setEnabled(endpointId, forward.id, !forward.enabled));
    const name = visibleName(forward.name);
    showToast(forward.enabled ? `${name} is paused. Events are queued.` : `${name} resumed.`);
  };
  return (
    <ActionButton icon={forward.enabled ? 'pause' : 'play'} act={setEnabled}>
      {forward.enabled ? 'Pause' : 'Resume'}
    </ActionButton>
  );
}

export function ForwardButtons({ endpointId, forward, onChange }: Props) {
  const name = visibleName(forward.name);
  const remove = () =>
    confirm({
      title: `Delete ${name}?`,
      text: removalText(forward),
      button: 'Delete forward',
      run: () => forwardsApi.remove(endpointId, forward.id),
      onDone: () => navigate(destinationsPath(endpointId)),
      toast: `${name} was deleted.`,
    });
  return (
    <div class="row">
      <AskButton endpointId={endpointId} forward={forward} onChange={onChange} />
      <PauseButton endpointId={endpointId} forward={forward} onChange={onChange} />
      <Link class="button plain" to={`${forwardPath(endpointId, forward.id)}/edit`}>
        Edit
      </Link>
      <Button kind="danger" icon="trash" onClick={remove}>
        Delete
      </Button>
    </div>
  );
}
