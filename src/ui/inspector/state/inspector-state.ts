/* The state of the inspector that its URL keeps. The filter is in the same query (see filter/filter-url.ts). */

import { useMemo } from 'preact/hooks';
import { attempt } from '../../kit/attempt.ts';
import { currentLocation, navigate, usePageLocation } from '../../kit/navigation.tsx';
import { clearSession } from '../../kit/use-draft.ts';
import { filterQuery } from '../filter/filter-url.ts';
import {
  type InspectorState,
  type PickStore,
  readInspectorState,
  type Tab,
  withInspectorState,
} from './inspector-url.ts';

type SetOptions = {
  /** Replaces the entry in the browser's history. By default only another tab is a step that back returns from. */
  replace?: boolean;
};

export function useInspectorState() {
  const { query } = usePageLocation();
  const text = query.toString();
  return useMemo(
    () => ({ ...readInspectorState(new URLSearchParams(text), pickStore), set: setInspectorState }),
    [text],
  );
}

/** Changes made in a row add up, before anything is rendered. */
export function setInspectorState(change: Partial<InspectorState>, options: SetOptions = {}): void {
  const { old, next, href } = changed(change);
  navigate(href, { replace: options.replace ?? next.tab === old.tab });
}

export const hrefOfTab = (tab: Tab): string => changed({ tab }).href;

function changed(change: Partial<InspectorState>) {
  const { path, query } = currentLocation();
  const old = readInspectorState(query, pickStore);
  const next = { ...old, ...change };
  const written = withInspectorState(query, next, pickStore).toString();
  return { old, next, href: path + (written && `?${written}`) };
}

/** The query string of a link inside the inspector: the filter and the state; empty when both are. */
export function inspectorQuery(where: string, state: InspectorState): string {
  const written = withInspectorState(new URLSearchParams(filterQuery(where)), state, pickStore).toString();
  return written && `?${written}`;
}

const maxStored = 8;
const prefix = 'hooktape.picked.';
const memory = new Map<string, readonly string[]>();

/** Selections that are too long for a URL. Storage may be full or not allowed: then a selection ends with the page. */
export const pickStore: PickStore = {
  save(name, ids) {
    if (memory.has(name)) return;
    memory.set(name, ids);
    attempt(() => {
      sessionStorage.setItem(prefix + name, ids.join('.'));
      for (const old of [...memory.keys()].slice(0, -maxStored)) sessionStorage.removeItem(prefix + old);
    });
  },
  load(name) {
    const known = memory.get(name);
    if (known) return [...known];
    const ids = attempt(() => sessionStorage.getItem(prefix + name))?.split('.');
    if (ids) memory.set(name, ids);
    return ids;
  },
};

/** Called on sign-out. */
export function clearPickStore(): void {
  memory.clear();
  clearSession(prefix);
}
