/* Deletes the picked events, or all that match. Pinned ones stay unless that is chosen. Only owners may. */

import { useEffect, useState } from 'preact/hooks';
import { api } from '../../kit/api.ts';
import { Button, Dialog, Notice } from '../../kit/controls.tsx';
import { formatCount } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { messageOf, showToast } from '../../kit/toasts.tsx';
import { BulkDialog, useRun, useTargets } from './bulk-dialog.tsx';
import type { BulkProps } from './mark-dialogs.tsx';
import { countMatching, type Matching } from './matching.ts';
import { nameOf, type Target } from './targets.ts';

type DeletePickedProps = BulkProps & {
  /** `ids`: undefined when all that match were deleted. */
  onDeleted: (ids: string[] | undefined) => void;
};

export function DeletePicked({ targets, list, onDeleted, onClose }: DeletePickedProps) {
  if ('all' in targets) return <DeleteMatching matching={targets.all} onDeleted={onDeleted} onClose={onClose} />;
  return <DeleteEach targets={targets} list={list} onDeleted={onDeleted} onClose={onClose} />;
}

function DeleteEach({ targets, list, onDeleted, onClose }: DeletePickedProps) {
  const { loaded, found, problem } = useTargets(targets, list);
  const bulk = useRun();
  const [withPinned, setWithPinned] = useState(false);
  const pinned = loaded?.filter(({ pin }) => pin !== null).length ?? 0;
  const chosen = loaded?.filter(({ pin }) => withPinned || pin === null);
  const remove = async (): Promise<void> => {
    const deleted: string[] = [];
    await bulk.run(chosen ?? [], async ({ id }: Target) => {
      await api.deleteEvent(id);
      deleted.push(id);
    });
    if (deleted.length === chosen?.length) showToast(`${formatCount(deleted.length, 'event')} deleted.`);
    onDeleted(deleted);
  };
  const count = chosen?.length ?? 0;
  return (
    <BulkDialog
      title={`Delete ${loaded ? formatCount(count, 'event') : nameOf(targets)}?`}
      targets={targets}
      events={chosen}
      found={found}
      problem={problem}
      bulk={bulk}
      done="deleted"
      action={{
        label: `Delete ${formatCount(count, 'event')}`,
        icon: 'trash',
        isDanger: true,
        isOff: count === 0,
        run: remove,
      }}
      onClose={onClose}
    >
      <Consequence />
      {pinned > 0 && <PinnedChoice count={pinned} isOn={withPinned} onChange={setWithPinned} />}
    </BulkDialog>
  );
}

type DeleteMatchingProps = {
  matching: Matching & { count: number | undefined };
  onDeleted: (ids: undefined) => void;
  onClose: () => void;
};

function DeleteMatching({ matching, onDeleted, onClose }: DeleteMatchingProps) {
  const [withPinned, setWithPinned] = useState(false);
  const [pinned, setPinned] = useState<number>();
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    countMatching(matching, controller.signal, 'is:pinned')
      .then(setPinned)
      .catch(error => !controller.signal.aborted && setProblem(messageOf(error)));
    return () => controller.abort();
  }, []);
  const total = matching.count;
  const count = total === undefined || pinned === undefined ? undefined : withPinned ? total : total - pinned;
  const remove = async (): Promise<void> => {
    setIsBusy(true);
    setProblem('');
    try {
      const { deleted } = await api.deleteEvents(matching.endpointId, matching.bounded, withPinned);
      showToast(`${formatCount(deleted, 'event')} deleted.`);
      onDeleted(undefined);
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setIsBusy(false);
    }
  };
  const amount = count === undefined ? 'all events that match' : formatCount(count, 'event');
  return (
    <Dialog title={`Delete ${amount}?`} onClose={onClose} isPersistent={isBusy}>
      <p class="lead">
        {matching.where === '' ? (
          'All events this endpoint had received when you selected them.'
        ) : (
          <>
            All events that match <code>{visibleLine(matching.where)}</code> and had been received when you selected
            them.
          </>
        )}
      </p>
      <Consequence />
      {pinned !== undefined && pinned > 0 && <PinnedChoice count={pinned} isOn={withPinned} onChange={setWithPinned} />}
      {problem && (
        <Notice tone="bad" title="Not everything was deleted">
          {problem}
        </Notice>
      )}
      <div class="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="danger"
          icon="trash"
          busy={isBusy || (count === undefined && !problem)}
          disabled={count === undefined || count === 0}
          onClick={remove}
        >
          {count === undefined ? 'Counting…' : `Delete ${formatCount(count, 'event')}`}
        </Button>
      </div>
    </Dialog>
  );
}

const Consequence = () => <p>Their bodies, headers and replays will be deleted. This can't be undone.</p>;

type PinnedChoiceProps = { count: number; isOn: boolean; onChange: (isOn: boolean) => void };

const PinnedChoice = ({ count, isOn, onChange }: PinnedChoiceProps) => (
  <label class="checkbox">
    <input type="checkbox" checked={isOn} onChange={event => onChange(event.currentTarget.checked)} />
    {count === 1 ? 'Also delete the pinned one' : `Also delete the ${count.toLocaleString()} pinned ones`}
  </label>
);
