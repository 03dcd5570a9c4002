/* A button with a menu. Escape closes it and returns to the button. */

import type { ComponentChildren } from 'preact';
import { Button, IconButton } from './controls.tsx';
import type { IconName } from './icons.tsx';
import { usePopup } from './use-popup.ts';

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
