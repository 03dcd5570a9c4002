/* Deletes the picked events, or all that match. Pinned ones stay unless that is chosen. Only owners may. */

import { useEffect, useState } from 'preact/hooks';
import { api } from '../../kit/api.ts';
import { Button, Dialog } from '../../kit/controls.tsx';
import { flag } from '../../kit/fields.tsx';
import { Form, Inputs, useForm } from '../../kit/form.tsx';
import { formatCount } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { messageOf, showToast } from '../../kit/toasts.tsx';
import { BulkDialog, useBulk } from './bulk-dialog.tsx';
import type { BulkProps } from './mark-dialogs.tsx';
import { countMatching, type Matching, nameOf } from './matching.ts';

type DeletePickedProps = BulkProps & {
  /** `ids`: undefined when all that match were deleted. */
  onDeleted: (ids: string[] | undefined) => void;
};

export function DeletePicked({ targets, list, onDeleted, onClose }: DeletePickedProps) {
  if ('all' in targets) return <DeleteMatching matching={targets.all} onDeleted={onDeleted} onClose={onClose} />;
  return <DeleteEach {...{ targets, list, onDeleted, onClose }} />;
}

function DeleteEach({ targets, list, onDeleted, onClose }: DeletePickedProps) {
  const bulk = useBulk(targets, list);
  const { loaded } = bulk;
  const pinned = loaded?.filter(({ pin }) => pin !== null).length ?? 0;
  const form = useForm({
    ...rulesFor(pinned),
    staysFilled: true,
    async save() {
      const deleted: string[] = [];
      await bulk.run(chosen ?? [], async ({ id }) => {
        await api.deleteEvent(id);
        deleted.push(id);
      });
      if (deleted.length === chosen?.length) showToast(`${formatCount(deleted.length, 'event')} deleted.`);
      onDeleted(deleted);
    },
  });
  const chosen = loaded?.filter(({ pin }) => form.draft.pinned || pin === null);
  const count = chosen?.length ?? 0;
  return (
    <BulkDialog
      title={`Delete ${loaded ? formatCount(count, 'event') : nameOf(targets)}?`}
      bulk={bulk}
      events={chosen}
      form={form}
      done="deleted"
      action={{ label: `Delete ${formatCount(count, 'event')}`, icon: 'trash', isDanger: true, isOff: count === 0 }}
      onClose={onClose}
    >
      <Consequence />
      <Inputs form={form} paths={['pinned']} texts={pinnedTexts(pinned)} />
    </BulkDialog>
  );
}

type DeleteMatchingProps = {
  matching: Matching & { count: number | undefined };
  onDeleted: (ids: undefined) => void;
  onClose: () => void;
};

function DeleteMatching({ matching, onDeleted, onClose }: DeleteMatchingProps) {
  const [pinned, setPinned] = useState<number>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const controller = new AbortController();
    countMatching(matching, controller.signal, 'is:pinned')
      .then(setPinned)
      .catch(error => !controller.signal.aborted && setProblem(messageOf(error)));
    return () => controller.abort();
  }, []);
  const form = useForm({
    ...rulesFor(pinned),
    staysFilled: true,
    save: (_, draft) => api.deleteEvents(matching.endpointId, matching.bounded, draft.pinned),
    onSaved(saved) {
      showToast(`${formatCount(saved?.deleted ?? 0, 'event')} deleted.`);
      onDeleted(undefined);
      onClose();
    },
  });
  const total = matching.count;
  const count = total === undefined || pinned === undefined ? undefined : form.draft.pinned ? total : total - pinned;
  const amount = count === undefined ? 'all events that match' : formatCount(count, 'event');
  const isCounting = count === undefined && !problem;
  return (
    <Dialog title={`Delete ${amount}?`} onClose={onClose} isPersistent={form.isBusy}>
      <Form
        form={{ ...form, isBusy: form.isBusy || isCounting, message: form.message || problem }}
        submit={count === undefined ? 'Counting…' : `Delete ${amount}`}
        submitKind="danger"
        submitIcon="trash"
        isLocked={!count}
        cancel={<Button onClick={onClose}>Cancel</Button>}
        failed="Not everything was deleted"
      >
        <p class="lead">
          {matching.where === '' ? (
            'All events of this endpoint, up to the time when you selected them.'
          ) : (
            <>
              All events that match <code>{visibleLine(matching.where)}</code> up to the time when you selected them.
            </>
          )}
        </p>
        <Consequence />
        <Inputs form={form} paths={['pinned']} texts={pinnedTexts(pinned)} />
      </Form>
    </Dialog>
  );
}

const Consequence = () => <p>Their bodies, headers and replays will be deleted. This can't be undone.</p>;

const schema = {
  pinned: flag({ label: 'Also delete the pinned ones', hint: 'Someone wanted to keep them.', on: true, off: false }),
};

/** There is a choice only if some of the events are pinned. */
const rulesFor = (pinned: number | undefined) => ({ schema, applies: () => (pinned ?? 0) > 0 });

const pinnedTexts = (count = 0) => ({
  pinned: {
    label: count === 1 ? 'Also delete the pinned one' : `Also delete the ${count.toLocaleString()} pinned ones`,
  },
});
