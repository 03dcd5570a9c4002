/* A popup that is closed by Escape and by a press outside it. Escape returns the focus to the button that opened it. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export function usePopup<E extends HTMLElement>() {
  const [isOpen, setIsOpen] = useState(false);
  const frame = useRef<E>(null);
  // Before the popup is painted: it can be closed as soon as it is seen.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const close = (event: Event): void => {
      const isInside = event.target instanceof Node && frame.current?.contains(event.target);
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        frame.current?.querySelector('button')?.focus();
        setIsOpen(false);
      } else if (!isInside) setIsOpen(false);
    };
    const closing = new AbortController();
    const { signal } = closing;
    addEventListener('pointerdown', close, { signal });
    addEventListener('focusin', close, { signal });
    addEventListener('keydown', close, { signal, capture: true });
    return () => closing.abort();
  }, [isOpen]);
  return { isOpen, setIsOpen, /** For the element around the button and its popup. */ frame };
}
