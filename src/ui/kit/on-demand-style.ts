/* The style file of pages that are loaded on demand. It is not part of the first page, and is fetched once. */

import { useEffect, useState } from 'preact/hooks';

const loaded = new Map<string, Promise<void>>();
const ready = new Set<string>();

function load(href: string): Promise<void> {
  const known = loaded.get(href);
  if (known) return known;
  const loading = new Promise<void>(resolve => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = href;
    // Without its style a page is plain, and works.
    link.onload = link.onerror = () => {
      ready.add(href);
      resolve();
    };
    document.head.append(link);
  });
  loaded.set(href, loading);
  return loading;
}

/** @returns whether the file is there: until then, the page would jump */
export function useStyle(href: string): boolean {
  const [isReady, setIsReady] = useState(ready.has(href));
  useEffect(() => {
    void load(href).then(() => setIsReady(true));
  }, [href]);
  return isReady;
}
