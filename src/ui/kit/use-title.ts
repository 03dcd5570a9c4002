/* Sets the document title. */

import { useEffect } from 'preact/hooks';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Hooktape` : 'Hooktape';
  }, [title]);
}
