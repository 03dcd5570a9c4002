/* Pins or tags many events. Both leave what an event already has. */

import { useState } from 'preact/hooks';
import type { EventSummary } from '../../../features/events/model.ts';
import { maxPinNoteCharacters, maxTagsPerEvent } from '../../../shared/limits.ts';
import { api } from '../../kit/api.ts';
import { Field } from '../../kit/controls.tsx';
import type { LiveList } from '../live/live-list.ts';
import { BulkDialog, useRun, useTargets } from './bulk-dialog.tsx';
import { nameOf, type Target, type Targets } from './targets.ts';

export type BulkProps = { targets: Targets; list: LiveList; onClose: () => void };

export function PinPicked({ targets, list, onClose }: BulkProps) {
  const { loaded, found, problem } = useTargets(targets, list);
  const bulk = useRun();
  const [note, setNote] = useState('');
  const unpinned = loaded?.filter(({ pin }) => pin === null);
  const pin = async ({ id }: Target): Promise<void> =>
    list.change(marksOf(await api.pin(id, { name: null, note: note.trim() || null })));
  const already = (loaded?.length ?? 0) - (unpinned?.length ?? 0);
  return (
    <BulkDialog
      title={`Pin ${nameOf(targets)}`}
      targets={targets}
      events={unpinned}
      found={found}
      problem={problem}
      bulk={bulk}
      done="pinned"
      action={{
        label: 'Pin',
        icon: 'pin',
        isOff: unpinned?.length === 0,
        run: () => bulk.run(unpinned ?? [], pin),
      }}
      onClose={onClose}
    >
      <p class="lead">
        Pinned events are kept beyond their retention period.
        {already > 0 && ` ${already.toLocaleString()} of them are already pinned and stay as they are.`}
      </p>
      <Field
        label="Note"
        value={note}
        maxLength={2 * maxPinNoteCharacters}
        hint="Optional. The same for all of them."
        onText={setNote}
      />
    </BulkDialog>
  );
}

export function TagPicked({ targets, list, onClose }: BulkProps) {
  const { loaded, found, problem } = useTargets(targets, list);
  const bulk = useRun();
  const [text, setText] = useState('');
  const tags = [...new Set(text.split(',').map(tag => tag.trim()))].filter(tag => tag !== '');
  const add = async ({ id, tags: old }: Target): Promise<void> => {
    const missing = tags.filter(tag => !old.includes(tag));
    if (missing.length > 0) list.change(marksOf(await api.tag(id, [...old, ...missing])));
  };
  return (
    <BulkDialog
      title={`Tag ${nameOf(targets)}`}
      targets={targets}
      events={loaded}
      found={found}
      problem={problem}
      bulk={bulk}
      done="tagged"
      action={{
        label: 'Add tags',
        icon: 'tag',
        isOff: tags.length === 0,
        run: () => bulk.run(loaded ?? [], add),
      }}
      onClose={onClose}
    >
      <Field
        label="Tags"
        value={text}
        autoFocus
        hint={`Separate several with commas. They are added to the tags each event already has, up to ${maxTagsPerEvent} in total.`}
        onText={setText}
      />
    </BulkDialog>
  );
}

const marksOf = ({ id, pin, tags }: EventSummary): Pick<EventSummary, 'id' | 'pin' | 'tags'> => ({ id, pin, tags });
