/* Links to pages beside each other; the current one is marked, and brought into view where they are one row that scrolls sideways. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link } from './navigation.tsx';

export type PageLink = { to: string; label: string; title?: string; mark?: ComponentChildren };

type PageLinksProps = { label: string; class: string; links: readonly PageLink[]; current: string | undefined };

export function PageLinks({ label, class: own, links, current }: PageLinksProps) {
  const nav = useRef<HTMLElement>(null);
  // Marks that appear later make the links before it wider.
  const marked = links.filter(({ mark }) => mark).length;
  useEffect(
    () => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    [current, marked],
  );
  return (
    <nav class={own} aria-label={label} ref={nav}>
      {links.map(({ to, label, title, mark }) => (
        <Link key={to} to={to} title={title} aria-current={to === current ? 'page' : undefined}>
          {label}
          {mark}
        </Link>
      ))}
    </nav>
  );
}
