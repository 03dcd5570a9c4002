/* Client-side routing with the History API. Paths outside the dashboard, such as /docs, are full page loads. */

import type { AnchorHTMLAttributes, ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isDashboardPath } from '../return-to.ts';

const listeners = new Set<() => void>();
const notifyListeners = (): void => {
  for (const listener of [...listeners]) listener();
};
addEventListener('popstate', notifyListeners);

/** Navigates to a path of this origin. */
export function navigate(path: string, options: { replace?: boolean } = {}): void {
  if (!isDashboardPath(path)) {
    location.assign(path);
    return;
  }
  if (path === location.pathname + location.search) return;
  if (options.replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  notifyListeners();
}

export type PageLocation = { path: string; query: URLSearchParams };

const currentPath = (): string => location.pathname + location.search;

export function usePageLocation(): PageLocation {
  const [current, setCurrent] = useState(currentPath);
  useEffect(() => {
    const listener = (): void => setCurrent(currentPath());
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  const url = new URL(current, location.origin);
  return { path: url.pathname, query: url.searchParams };
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
