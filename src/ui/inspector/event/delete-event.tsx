/* Deletes one event, after a question. Only owners may. */

import { useState } from 'preact/hooks';
import type { EventSummary } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import { Button, Dialog, Notice } from '../../kit/controls.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { showError, showToast } from '../../kit/toasts.tsx';
import { useActions } from '../../kit/use-hotkeys.ts';
import { useWorkspace } from '../../kit/workspace.tsx';

type DeleteEventProps = { event: Pick<EventSummary, 'id' | 'pin'>; onDeleted: (id: string) => void };

export function DeleteEvent({ event: { id, pin }, onDeleted }: DeleteEventProps) {
  const { session, reloadEndpoints } = useWorkspace();
  const [isAsking, setIsAsking] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const isOwner = session.role === 'owner';
  useActions(isOwner ? [{ label: 'Delete the event', run: () => setIsAsking(true) }] : []);
  if (!isOwner) return null;
  const remove = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await api.deleteEvent(id);
      setIsAsking(false);
      showToast('The event was deleted.');
      reloadEndpoints();
      onDeleted(id);
    } catch (error) {
      showError(error);
    }
    setIsBusy(false);
  };
  return (
    <>
      <IconButton icon="trash" label="Delete event" onClick={() => setIsAsking(true)} />
      {isAsking && (
        <Dialog title="Delete this event?" onClose={() => setIsAsking(false)}>
          <p>Its body, headers and replays will be deleted. This can't be undone.</p>
          {pin && (
            <Notice tone="warn" title={pin.name === null ? 'It is pinned' : `It is pinned as ${pin.name}`}>
              {pin.note ?? 'Someone on your team wanted to keep it.'}
            </Notice>
          )}
          <div class="dialog-actions">
            <Button onClick={() => setIsAsking(false)}>Cancel</Button>
            <Button kind="danger" icon="trash" busy={isBusy} onClick={remove}>
              Delete permanently
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
