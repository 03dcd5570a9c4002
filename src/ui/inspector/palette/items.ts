/* What the command palette offers: the commands of the page, endpoints, and events. */

import type { Endpoint } from '../../../features/endpoints/model.ts';
import type { EventSummary, Matched } from '../../../features/events/model.ts';
import { type Command, listedCommands } from '../../kit/commands.ts';
import { platformTitle } from '../../kit/format/platforms.ts';
import { formatTimeOfDay } from '../../kit/format/time.ts';
import { visibleLine, visibleName } from '../../kit/format/visible.ts';
import { keyLabel } from '../../kit/key-label.ts';
import { navigate } from '../../kit/navigation.tsx';
import type { Ranked } from './rank.ts';

export type PaletteItem = Ranked & {
  group: 'Recent' | 'Actions' | 'Endpoints' | 'Same type' | 'Events';
  /** Beside the label, fainter. */
  detail?: string;
  /** Where an event meets what was typed; in place of the detail. */
  matched?: Matched | undefined;
  keyLabel?: string;
  run: () => void;
};

const maxLabelCharacters = 120;
const sections: readonly Command['section'][] = ['Event', 'List', 'Page', 'Everywhere'];

export function commandItems(): PaletteItem[] {
  const items = new Map<string, PaletteItem>();
  const commands = listedCommands().filter(({ label, run, isOff, isKeyOnly }) => label && run && !isOff && !isKeyOnly);
  commands.sort((a, b) => sections.indexOf(a.section) - sections.indexOf(b.section));
  for (const { label, key, run } of commands) {
    if (items.has(label)) continue;
    items.set(label, {
      id: `action:${label}`,
      group: 'Actions',
      label,
      keyLabel: key && keyLabel(key),
      run: () => void run?.(new KeyboardEvent('keydown', { key })),
    });
  }
  return [...items.values()];
}

export const endpointItems = (endpoints: readonly Endpoint[]): PaletteItem[] =>
  endpoints.map(({ id, name, url }) => ({
    id: `endpoint:${id}`,
    group: 'Endpoints',
    label: visibleName(name.slice(0, maxLabelCharacters)),
    also: [id, url],
    run: () => navigate(`/app/endpoints/${id}`),
  }));

export type OpenedEvent = Pick<
  EventSummary,
  'id' | 'eventType' | 'method' | 'path' | 'platform' | 'receivedAt' | 'pin' | 'tags'
> & { matched?: readonly Matched[] };

export function eventItem(event: OpenedEvent, href: string): PaletteItem {
  const { id, eventType, method, path, platform, receivedAt, pin, tags, matched } = event;
  const pinned = pin?.name ? `@${pin.name} · ` : '';
  return {
    id: `event:${id}`,
    group: 'Events',
    label: visibleLine((pinned + (eventType ?? `${method ?? ''} ${path || '/'}`.trim())).slice(0, maxLabelCharacters)),
    also: [id, platformTitle(platform), ...tags, ...(pin?.name ? [pin.name] : []), ...(eventType ? [path] : [])],
    // Only shown items need it: writing 2,000 times takes tens of milliseconds.
    get detail() {
      return `${platformTitle(platform)} · ${formatTimeOfDay(receivedAt, Date.now())}`;
    },
    matched: matched?.[0],
    run: () => navigate(href),
  };
}
