/* Chooses an event to compare: of the same type first, and any other by a search on the server. */

import { useMemo, useState } from 'preact/hooks';
import type { EventDetail, EventSummary } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import { formatMoment } from '../../kit/format/time.ts';
import { useQuery } from '../../kit/use-query.ts';
import { previewOf } from '../list/row-text.ts';
import { Finder } from '../palette/finder.tsx';
import { eventItem, type PaletteItem } from '../palette/items.ts';
import { type FoundEvent, useServerEvents } from '../palette/use-server-events.ts';
import { sameTypeFilter } from './use-comparable.ts';

const maxListed = 30;

type EventPickerProps = {
  title: string;
  endpointId: string;
  otherId: string;
  other: EventDetail | undefined;
  onPick: (id: string) => void;
  onClose: () => void;
};

export function EventPicker({ title, endpointId, otherId, other, onPick, onClose }: EventPickerProps) {
  const [text, setText] = useState('');
  const typed = text.trim();
  const listed = useQuery(`${endpointId} ${other?.id}`, () => listEvents(endpointId, other));
  const found = useServerEvents(endpointId, typed);
  const items = useMemo(() => {
    const events = typed === '' ? (listed.value ?? []) : found.events;
    return events
      .filter(({ id }) => id !== otherId)
      .map(event => itemOf(event, other))
      .sort((a, b) => Number(a.group === 'Events') - Number(b.group === 'Events'));
  }, [typed, listed.value, found.events, otherId, other]);
  const isBusy = typed === '' ? !listed.value && !listed.problem : found.isBusy;
  return (
    <Finder
      title={title}
      label="Find an event by content, filter or id"
      text={text}
      onText={setText}
      items={items}
      note={isBusy ? 'Searching…' : typed === '' ? listed.problem : found.problem}
      onChoose={item => onPick(item.id)}
      onClose={onClose}
    />
  );
}

async function listEvents(endpointId: string, other: EventDetail | undefined): Promise<FoundEvent[]> {
  const list = async (where: string): Promise<FoundEvent[]> =>
    (await api.events(endpointId, undefined, where, { limit: maxListed })).events;
  const filter = other && sameTypeFilter(other);
  const pages = await Promise.all([...(filter ? [list(filter)] : []), list('')]);
  return [...new Map(pages.flat().map(event => [event.id, event])).values()];
}

function itemOf(event: FoundEvent, other: EventDetail | undefined): PaletteItem {
  const { id, eventType, platform, receivedAt } = event;
  const isSameType = other !== undefined && other.eventType === eventType && other.platform === platform;
  return {
    ...eventItem(event, ''),
    id,
    group: isSameType ? 'Same type' : 'Events',
    detail: [...contentOf(event), formatMoment(receivedAt, Date.now())].join(' · '),
  };
}

/** An event that was found by its id has no preview. */
const contentOf = (event: FoundEvent | EventSummary): string[] =>
  'highlights' in event ? [previewOf(event).text] : [];
