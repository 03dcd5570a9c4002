/* A button with a menu. Escape closes it and returns to the button. */

import type { ComponentChildren } from 'preact';
import { IconButton } from './icon-button.tsx';
import type { IconName } from './icons.tsx';
import { usePopup } from './use-popup.ts';

type MenuProps = {
  icon: IconName;
  label: string;
  /** @param close for what is chosen: a dialog that it opens gives the focus back to the button */
  children: (close: () => void) => ComponentChildren;
};

export function Menu({ icon, label, children }: MenuProps) {
  const { isOpen, setIsOpen, frame } = usePopup<HTMLDivElement>();
  const close = (): void => {
    frame.current?.querySelector('button')?.focus();
    setIsOpen(false);
  };
  return (
    <div class="anchor rigid" ref={frame}>
      <IconButton icon={icon} label={label} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)} />
      {isOpen && <div class="menu-panel popup">{children(close)}</div>}
    </div>
  );
}
