/* Deletes one event, after a question. Only owners may. */

import type { EventSummary } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import { Notice } from '../../kit/controls.tsx';
import { confirm } from '../../kit/dialogs.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { showToast } from '../../kit/toasts.tsx';
import { useActions } from '../../kit/use-hotkeys.ts';
import { useWorkspace } from '../../kit/workspace.tsx';

type DeleteEventProps = { event: Pick<EventSummary, 'id' | 'pin'>; onDeleted: (id: string) => void };

export function DeleteEvent({ event: { id, pin }, onDeleted }: DeleteEventProps) {
  const { session, reloadEndpoints } = useWorkspace();
  const isOwner = session.role === 'owner';
  const remove = async (): Promise<void> => {
    const isDeleted = await confirm({
      title: 'Delete this event?',
      text: (
        <>
          <p>Its body, headers and replays will be deleted. This can't be undone.</p>
          {pin && (
            <Notice tone="warn" title={pin.name === null ? 'It is pinned' : `It is pinned as ${pin.name}`}>
              {pin.note ?? 'Someone on your team wanted to keep it.'}
            </Notice>
          )}
        </>
      ),
      button: 'Delete permanently',
      icon: 'trash',
      until: 'path',
      run: () => api.deleteEvent(id),
    });
    if (!isDeleted) return;
    showToast('The event was deleted.');
    reloadEndpoints();
    onDeleted(id);
  };
  useActions(isOwner ? [{ label: 'Delete the event', run: () => void remove() }] : []);
  return isOwner ? <IconButton icon="trash" label="Delete event" onClick={remove} /> : null;
}
