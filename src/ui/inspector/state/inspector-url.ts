/* Reads and writes the state in the query of the inspector's URL, which is untrusted: what is not understood is left out. */

import { type AxisChoice, readAxis } from '../../kit/timeline/axis.ts';
import type { BodyView } from '../body/views.ts';

export const tabs = ['body', 'headers', 'query', 'signature', 'replays', 'attempts', 'forwards'] as const;
export type Tab = (typeof tabs)[number];

export type InspectorState = {
  tab: Tab;
  /** The chosen view of the body; undefined for the best view. A body that does not have the chosen view is shown in another. */
  view: BodyView | undefined;
  find: string;
  picked: readonly string[];
  axis: AxisChoice;
};

/** Where a selection is kept that is too long for a URL. */
export type PickStore = {
  save: (name: string, ids: readonly string[]) => void;
  load: (name: string) => string[] | undefined;
};

/** About 1.8 KB. Some proxies refuse URLs of more than 8 KB, and the filter may have 2 KiB before it is encoded. */
export const maxPickedInUrl = 50;
export const maxFindCharacters = 256;

const eventIdPattern = /^[\w-]{1,64}$/;
/** `312-1n9k3f`: how many events, and a checksum of their ids. */
const storedName = /^(\d{1,9})-[0-9a-z]{1,7}$/;

const isTab = (text: string | null): text is Tab => (tabs as readonly (string | null)[]).includes(text);

export function readInspectorState(query: URLSearchParams, store: PickStore): InspectorState {
  const [tab, view] = [query.get('tab'), query.get('view') ?? ''];
  return {
    tab: isTab(tab) ? tab : 'body',
    // Which views there are depends on the body, so the body panel has the last word.
    view: /^[a-z]{1,16}$/.test(view) ? (view as BodyView) : undefined,
    find: cut(query.get('find') ?? ''),
    picked: readPicked(query.get('picked') ?? '', store),
    axis: readAxis(query),
  };
}

/** The query with the state written into it. Its other parameters stay. */
export function withInspectorState(query: URLSearchParams, state: InspectorState, store: PickStore): URLSearchParams {
  const written = new URLSearchParams(query);
  const write = (name: string, value: string): void => {
    written.delete(name);
    if (value !== '') written.set(name, value);
  };
  write('tab', state.tab === 'body' ? '' : state.tab);
  write('view', state.view ?? '');
  write('find', cut(state.find));
  write('picked', writePicked(state.picked, store));
  write('from', state.axis.from);
  write('to', state.axis.to);
  return written;
}

/** How many events were picked when the URL was made, if they are too many for it and are not known here. */
export function missingPicks(query: URLSearchParams, store: PickStore): number {
  const name = query.get('picked') ?? '';
  const count = storedName.exec(name)?.[1];
  return count === undefined || store.load(name) ? 0 : Number(count);
}

function readPicked(text: string, store: PickStore): readonly string[] {
  if (storedName.test(text)) return store.load(text) ?? [];
  const ids = text.split('.').filter(id => eventIdPattern.test(id));
  return [...new Set(ids)].slice(0, maxPickedInUrl);
}

function writePicked(ids: readonly string[], store: PickStore): string {
  if (ids.length <= maxPickedInUrl) return ids.join('.');
  const name = `${ids.length}-${checksum(ids.join('.'))}`;
  store.save(name, ids);
  return name;
}

/** FNV-1a. Two selections of one tab are not meant to have the same name; nothing depends on its strength. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** Never cuts a character in two. */
const cut = (text: string): string => text.slice(0, maxFindCharacters).replace(/[\ud800-\udbff]$/, '');
