/*
 * The state of the inspector that its URL keeps, so that back, forward, reload and a shared link bring it back: the tab, the view of the
 * body, the text to find, and the picked events. The filter is in the same query (see filter/filter-url.ts).
 */

import { useMemo } from 'preact/hooks';
import { currentLocation, navigate, usePageLocation } from '../../kit/navigation.tsx';
import { filterQuery } from '../filter/filter-url.ts';
import { type InspectorState, readInspectorState, type Tab, withInspectorState } from './inspector-url.ts';
import { pickStore } from './pick-store.ts';

export type { InspectorState, Tab } from './inspector-url.ts';

type SetOptions = {
  /** Replaces the entry in the browser's history. By default only another tab is a step that back returns from. */
  replace?: boolean;
};

export type InspectorStateHandle = InspectorState & {
  /** Changes made in a row add up, before anything is rendered. */
  set: (change: Partial<InspectorState>, options?: SetOptions) => void;
};

export function useInspectorState(): InspectorStateHandle {
  const { query } = usePageLocation();
  const text = query.toString();
  return useMemo(
    () => ({ ...readInspectorState(new URLSearchParams(text), pickStore), set: setInspectorState }),
    [text],
  );
}

export function setInspectorState(change: Partial<InspectorState>, options: SetOptions = {}): void {
  const { old, next, href } = changed(change);
  navigate(href, { replace: options.replace ?? next.tab === old.tab });
}

/** Another tab of the page as it is now. */
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
