/* A button with a menu. Escape closes it and returns to the button. */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from './controls.tsx';
import type { IconName } from './icons.tsx';

type MenuProps = {
  icon: IconName;
  label: string;
  isLabelShown?: boolean;
  /** @param close for what is chosen: a dialog that it opens gives the focus back to the button */
  children: (close: () => void) => ComponentChildren;
};

export function Menu({ icon, label, isLabelShown = false, children }: MenuProps) {
  const { isOpen, setIsOpen, frame } = usePopup<HTMLDivElement>();
  const close = (): void => {
    frame.current?.querySelector('button')?.focus();
    setIsOpen(false);
  };
  const state = { 'aria-expanded': isOpen, onClick: () => setIsOpen(!isOpen) };
  return (
    <div class="anchor rigid" ref={frame}>
      {isLabelShown ? (
        <Button kind="quiet" icon={icon} {...state}>
          {label}
        </Button>
      ) : (
        <IconButton icon={icon} label={label} {...state} />
      )}
      {isOpen && <div class="menu-panel popup">{children(close)}</div>}
    </div>
  );
}

type MenuActionsProps = { actions: readonly { label: string; run: () => void }[]; close: () => void };

export const MenuActions = ({ actions, close }: MenuActionsProps) => (
  <>
    {actions.map(({ label, run }) => (
      <button
        key={label}
        type="button"
        onClick={() => {
          close();
          run();
        }}
      >
        {label}…
      </button>
    ))}
  </>
);

/** A popup that Escape and a press outside close. Escape returns the focus to the button that opened it. */
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
