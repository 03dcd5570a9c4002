/* The dialog that pins an event with a name and a note, changes them, or removes the pin. */

import { useState } from 'preact/hooks';
import type { Pin } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import { Button, Dialog, Field } from '../../kit/controls.tsx';
import { showError, showToast } from '../../kit/toasts.tsx';

type PinDialogProps = { id: string; pin: Pin | null; onPin: (pin: Pin | null) => void; onClose: () => void };

export function PinDialog({ id, pin: current, onPin, onClose }: PinDialogProps) {
  // As it was when the dialog opened: the live stream tells of a change before the request for it is answered.
  const [pin] = useState(current);
  const [name, setName] = useState(pin?.name ?? '');
  const [note, setNote] = useState(pin?.note ?? '');
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    setIsBusy(true);
    try {
      const pinned = await api.pin(id, { name: name.trim() || null, note: note.trim() || null });
      onPin(pinned.pin);
      onClose();
      showToast(pin ? 'Pin saved.' : 'Pinned. The event is kept until you unpin it.');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setIsBusy(false);
    }
  };
  const remove = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await api.unpin(id);
      onPin(null);
      onClose();
      showToast('Unpinned. The event now follows the retention period.');
    } catch (error) {
      showError(error);
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={pin ? 'Pinned event' : 'Pin this event'} onClose={onClose}>
      <form onSubmit={save}>
        <p>A pinned event outlives its retention period and stays until it's unpinned or deleted.</p>
        <Field
          label="Name (optional)"
          value={name}
          onText={setName}
          maxLength={64}
          autocomplete="off"
          spellcheck={false}
          autoFocus
          problem={problem}
          hint="Lowercase letters, digits, “.”, “_” and “-”. Unique in the endpoint."
        />
        <Field label="Note (optional)" value={note} onText={setNote} maxLength={560} autocomplete="off" />
        <div class="dialog-actions">
          {pin && (
            <Button onClick={remove} disabled={isBusy}>
              Unpin
            </Button>
          )}
          <Button kind="primary" icon="pin" type="submit" busy={isBusy}>
            {pin ? 'Save' : 'Pin'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
