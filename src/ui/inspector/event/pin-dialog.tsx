/* The dialog that pins an event with a name and a note, changes them, or removes the pin. */

import type { EventSummary, Pin } from '../../../features/events/model.ts';
import { maxPinNameCharacters, maxPinNoteCharacters } from '../../../shared/limits.ts';
import { ActionButton } from '../../kit/action.tsx';
import { api } from '../../kit/api.ts';
import { Dialog } from '../../kit/controls.tsx';
import { text } from '../../kit/fields.tsx';
import { Form, Inputs, useForm } from '../../kit/form.tsx';
import { showToast } from '../../kit/toasts.tsx';
import type { Marks } from './use-event.ts';

const schema = {
  name: text({
    label: 'Name (optional)',
    maxLength: maxPinNameCharacters,
    hint: 'Lowercase letters, digits, “.”, “_” and “-”. Must be unique in this endpoint.',
    autoFocus: true,
  }),
  // A character may be two units of its text.
  note: text({ label: 'Note (optional)', maxLength: 2 * maxPinNoteCharacters }),
};

type PinDialogProps = {
  event: Pick<EventSummary, 'id' | 'pin'>;
  onChanged: (marks: Marks) => void;
  onClose: () => void;
};

export function PinDialog({ event: { id, pin }, onChanged, onClose }: PinDialogProps) {
  const finish = (changed: Pin | null, message: string): void => {
    onChanged({ id, pin: changed });
    onClose();
    showToast(message);
  };
  const form = useForm({
    schema,
    // As for a new one: both are always sent.
    initial: pin ?? {},
    messageAt: 'name',
    save: (request: Pick<Pin, 'name' | 'note'>) => api.pin(id, request),
    onSaved: saved => finish(saved?.pin ?? null, pin ? 'Pin saved.' : 'Pinned. The event is kept until you unpin it.'),
  });
  const remove = async (): Promise<void> => {
    await api.unpin(id);
    finish(null, 'Unpinned. Retention applies to it again.');
  };
  return (
    <Dialog title={pin ? 'Pinned event' : 'Pin this event'} onClose={onClose}>
      <Form
        form={form}
        submit={pin ? 'Save' : 'Pin'}
        submitIcon="pin"
        isDialog
        cancel={
          pin && (
            <ActionButton act={remove} disabled={form.isBusy} keepsFocus={false}>
              Unpin
            </ActionButton>
          )
        }
      >
        <p>A pinned event is kept until you unpin or delete it, whatever the retention.</p>
        <Inputs form={form} paths={['name', 'note']} />
      </Form>
    </Dialog>
  );
}
