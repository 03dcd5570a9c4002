/* Client-side routing with the History API. Paths outside the dashboard, such as /docs, are full page loads. */

import type { AnchorHTMLAttributes, ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { isDashboardPath } from '../../shared/return-to.ts';
import { attempt } from './attempt.ts';

/** Browsers refuse more than about ten changes of the URL a second. The location is kept here, and they get replacements at this pace. */
const writeGapMs = 100;
const retryMs = 1000;

const browserPath = (): string => location.pathname + location.search + location.hash;

let current = browserPath();
let lastWriteAt = 0;
let pendingWrite: ReturnType<typeof setTimeout> | undefined;

const listeners = new Set<() => void>();
const notifyListeners = (): void => {
  for (const listener of [...listeners]) listener();
};
addEventListener('popstate', () => {
  clearTimeout(pendingWrite);
  pendingWrite = undefined;
  current = browserPath();
  notifyListeners();
});
addEventListener('pagehide', () => writeNow('replaceState'));

export function navigate(path: string, options: { replace?: boolean } = {}): void {
  if (!isDashboardPath(path)) {
    location.assign(path);
    return;
  }
  const { pathname, search, hash } = new URL(path, location.origin);
  const next = pathname + search + hash;
  if (next === current) return;
  if (options.replace) {
    current = next;
    const waitMs = lastWriteAt + writeGapMs - performance.now();
    if (waitMs <= 0) writeNow('replaceState');
    else pendingWrite ??= setTimeout(writeNow, waitMs, 'replaceState');
  } else {
    // The entry that is left has to be complete.
    if (pendingWrite !== undefined) writeNow('replaceState');
    current = next;
    writeNow('pushState');
  }
  notifyListeners();
}

function writeNow(method: 'replaceState' | 'pushState'): void {
  clearTimeout(pendingWrite);
  pendingWrite = undefined;
  if (browserPath() === current) return;
  lastWriteAt = performance.now();
  // Refused if there are too many changes of the URL.
  attempt(() => history[method](null, '', current));
  if (browserPath() !== current) pendingWrite = setTimeout(writeNow, retryMs, method);
}

/** The page of a path. An endpoint's list and its events are one page. */
export const pageOf = (path: string): string => path.replace(/\/events(\/.*)?$/, '');

export type PageLocation = { path: string; query: URLSearchParams };

const parse = (path: string): PageLocation => {
  const url = new URL(path, location.origin);
  return { path: url.pathname, query: url.searchParams };
};

export const currentLocation = (): PageLocation => parse(current);

export function usePageLocation(): PageLocation {
  const [path, setPath] = useState(current);
  useEffect(() => {
    const listener = (): void => setPath(current);
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return useMemo(() => parse(path), [path]);
}

type LinkProps = Omit<AnchorHTMLAttributes, 'href' | 'role'> & {
  to: string;
  replace?: boolean;
  children?: ComponentChildren;
};

/** A link that navigates without a page load. Modifier keys and the middle button work as in any link. */
export function Link({ to, replace = false, onClick, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={to}
      onClick={event => {
        onClick?.(event);
        if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        navigate(to, { replace });
      }}
    />
  );
}
