/* What people added to an event, its pin and tags: in a row of the list, and in the event's head, where both are changed. */

import { useRef, useState } from 'preact/hooks';
import type { EventDetail, EventSummary, Pin } from '../../../features/events/model.ts';
import { maxTagCharacters } from '../../../shared/limits.ts';
import { api } from '../../kit/api.ts';
import { Button } from '../../kit/controls.tsx';
import { openDialog } from '../../kit/dialogs.tsx';
import { visibleLine, visibleText } from '../../kit/format/visible.ts';
import { Icon } from '../../kit/icons.tsx';
import { Time } from '../../kit/time.tsx';
import { showError } from '../../kit/toasts.tsx';
import { useHotkeys } from '../../kit/use-hotkeys.ts';
import { useFilterBy } from '../filter/filter-by.tsx';
import { termFor } from '../filter/filter-text.ts';
import { PinDialog } from './pin-dialog.tsx';
import type { Marks } from './use-event.ts';

const maxTagsInRow = 2;

export const RowPin = ({ pin }: { pin: Pin | null }) =>
  pin && (
    <span class="row-pin line tight rigid soft small" title={pin.name === null ? 'Pinned' : `Pinned as ${pin.name}`}>
      <Icon name="pin" />
      <span class="offscreen">Pinned</span>
      {pin.name !== null && <span class="pin-name cut">{pin.name}</span>}
    </span>
  );

export const RowTags = ({ tags }: { tags: string[] }) =>
  tags.length > 0 ? (
    <span class="row-tags line tight rigid" title={tags.map(visibleLine).join(', ')}>
      {tags.slice(0, maxTagsInRow).map(tag => (
        <span key={tag} class="tag soft cut">
          {visibleLine(tag)}
        </span>
      ))}
      {tags.length > maxTagsInRow && <span class="tag soft cut">+{tags.length - maxTagsInRow}</span>}
    </span>
  ) : null;

type EventMarksProps = {
  event: EventDetail | EventSummary;
  onChanged: (marks: Marks) => void;
};

export function EventMarks({ event, onChanged }: EventMarksProps) {
  const { id, pin, tags } = event;
  const openPin = (): void =>
    void openDialog(close => <PinDialog event={event} onChanged={onChanged} onClose={close} />, 'path');
  useHotkeys({ m: { label: pin ? 'Change or remove the pin' : 'Pin', help: 'Pin', run: openPin } });
  return (
    <div class="event-marks row tight full">
      <Button
        kind="quiet"
        icon="pin"
        class={pin ? 'pinned' : ''}
        title={pin ? 'Change or remove the pin (m)' : 'Pin: keep this event beyond its retention period (m)'}
        onClick={openPin}
      >
        {pin ? (pin.name ?? 'Pinned') : 'Pin'}
      </Button>
      <TagEditor key={id} id={id} tags={tags} onTags={changed => onChanged({ id, tags: changed })} />
      {pin?.note && (
        <p class="pin-note soft breaks">
          {visibleText(pin.note)}{' '}
          <span class="faint">
            pinned <Time at={pin.pinnedAt} long />
          </span>
        </p>
      )}
    </div>
  );
}

/** A press filters the list by the tag, where there is a list. */
function TagName({ tag }: { tag: string }) {
  const filterBy = useFilterBy();
  const term = termFor('tag', tag);
  if (!filterBy || term === undefined) return <>{visibleLine(tag)}</>;
  return (
    <button type="button" class="tag-name" title={`Filter by ${term}`} onClick={() => filterBy(term)}>
      {visibleLine(tag)}
    </button>
  );
}

function TagEditor({ id, tags, onTags }: { id: string; tags: string[]; onTags: (tags: string[]) => void }) {
  const [text, setText] = useState('');
  const [savesUnderWay, setSavesUnderWay] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(tags);
  latest.current = tags;
  const lastSave = useRef<Promise<unknown>>(Promise.resolve());
  useHotkeys({ t: { label: 'Tag', run: () => input.current?.focus() } });

  /** Changes are saved one after the other, each from what the one before left. @returns false when it could not be saved */
  const save = (change: (tags: string[]) => string[]): Promise<boolean> => {
    const saveNow = async (): Promise<boolean> => {
      try {
        latest.current = (await api.tag(id, change(latest.current))).tags;
        onTags(latest.current);
        return true;
      } catch (error) {
        showError(error);
        return false;
      } finally {
        setSavesUnderWay(count => count - 1);
      }
    };
    setSavesUnderWay(count => count + 1);
    input.current?.focus();
    const saved = lastSave.current.then(saveNow);
    lastSave.current = saved;
    return saved;
  };
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    const tag = text.trim();
    if (tag === '') return;
    // At once, because the next tag may be typed before this one is saved.
    setText('');
    if (!(await save(current => [...current, tag]))) setText(typed => typed || tag);
  };
  return (
    <form class="tag-editor row tight" onSubmit={add}>
      {tags.length > 0 && (
        <ul class="row tight" aria-label="Tags">
          {tags.map(tag => (
            <li key={tag} class="tag line tight soft small breaks">
              <TagName tag={tag} />
              <button
                type="button"
                class="mini"
                aria-label={`Remove the tag ${visibleLine(tag)}`}
                disabled={savesUnderWay > 0}
                onClick={() => void save(current => current.filter(one => one !== tag))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        ref={input}
        value={text}
        maxLength={maxTagCharacters * 2}
        aria-label="Add a tag"
        placeholder="Add a tag"
        title="Add a tag (t)"
        autocomplete="off"
        onInput={event => setText(event.currentTarget.value)}
        onKeyDown={event => event.key === 'Escape' && input.current?.blur()}
      />
    </form>
  );
}
