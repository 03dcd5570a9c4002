/* Pins or tags many events. Both leave what an event already has. */

import type { EventSummary } from '../../../features/events/model.ts';
import { maxPinNoteCharacters, maxTagsPerEvent } from '../../../shared/limits.ts';
import { api } from '../../kit/api.ts';
import { list as listField, text } from '../../kit/fields.tsx';
import { Inputs, useForm } from '../../kit/form.tsx';
import type { LiveList } from '../live/live-list.ts';
import { BulkDialog, useBulk } from './bulk-dialog.tsx';
import { nameOf, type Targets } from './matching.ts';

export type BulkProps = { targets: Targets; list: LiveList; onClose: () => void };

const pinSchema = {
  // A character may be two units of its text.
  note: text({ label: 'Note', maxLength: 2 * maxPinNoteCharacters, hint: 'Optional. Used for all of them.' }),
};

export function PinPicked({ targets, list, onClose }: BulkProps) {
  const bulk = useBulk(targets, list);
  const unpinned = bulk.loaded?.filter(({ pin }) => pin === null);
  const form = useForm({
    schema: pinSchema,
    save: ({ note }: { note: string | null }) =>
      bulk.run(unpinned ?? [], async ({ id }) => list.change(marksOf(await api.pin(id, { name: null, note })))),
  });
  const already = (bulk.loaded?.length ?? 0) - (unpinned?.length ?? 0);
  return (
    <BulkDialog
      title={`Pin ${nameOf(targets)}`}
      bulk={bulk}
      events={unpinned}
      form={form}
      done="pinned"
      action={{ label: 'Pin', icon: 'pin', isOff: unpinned?.length === 0 }}
      onClose={onClose}
    >
      <p class="lead">
        Pinned events are not removed by retention.
        {already > 0 && ` ${already.toLocaleString()} are already pinned and keep their notes.`}
      </p>
      <Inputs form={form} paths={['note']} />
    </BulkDialog>
  );
}

const tagSchema = {
  tags: listField({
    label: 'Tags',
    autoFocus: true,
    hint: `Comma-separated. Added to existing tags, up to ${maxTagsPerEvent} per event.`,
  }),
};

export function TagPicked({ targets, list, onClose }: BulkProps) {
  const bulk = useBulk(targets, list);
  const form = useForm({
    schema: tagSchema,
    save: ({ tags }: { tags: string[] }) =>
      bulk.run(bulk.loaded ?? [], async ({ id, tags: old }) => {
        const all = [...new Set([...old, ...tags])];
        if (all.length > old.length) list.change(marksOf(await api.tag(id, all)));
      }),
  });
  return (
    <BulkDialog
      title={`Tag ${nameOf(targets)}`}
      bulk={bulk}
      events={bulk.loaded}
      form={form}
      done="tagged"
      action={{ label: 'Add tags', icon: 'tag', isOff: tagSchema.tags.to(form.draft.tags)?.length === 0 }}
      onClose={onClose}
    >
      <Inputs form={form} paths={['tags']} />
    </BulkDialog>
  );
}

const marksOf = ({ id, pin, tags }: EventSummary): Pick<EventSummary, 'id' | 'pin' | 'tags'> => ({ id, pin, tags });
