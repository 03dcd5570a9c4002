/* A popup that is closed by Escape and by a press outside it. Escape returns the focus to the button that opened it. */

import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export type Popup<E extends HTMLElement> = {
  isOpen: boolean;
  setIsOpen: (isOpen: boolean) => void;
  /** For the element around the button and its popup. */
  frame: RefObject<E | null>;
};

export function usePopup<E extends HTMLElement>(): Popup<E> {
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
    addEventListener('pointerdown', close);
    addEventListener('focusin', close);
    addEventListener('keydown', close, { capture: true });
    return () => {
      removeEventListener('pointerdown', close);
      removeEventListener('focusin', close);
      removeEventListener('keydown', close, { capture: true });
    };
  }, [isOpen]);
  return { isOpen, setIsOpen, frame };
}
