/* A button that runs something at the server: busy while it runs, a message if it fails, and the focus stays on the button. */

import { useState } from 'preact/hooks';
import { Button, type ButtonProps } from './controls.tsx';
import { showError } from './toasts.tsx';

type ActionButtonProps = Omit<ButtonProps, 'busy' | 'onClick'> & {
  act: () => unknown;
  /** False if `act` moves the focus elsewhere, for instance because the button's row leaves its list. */
  keepsFocus?: boolean;
};

export function ActionButton({ act, keepsFocus = true, ...rest }: ActionButtonProps) {
  const [isBusy, setIsBusy] = useState(false);
  const run = async (event: Event): Promise<void> => {
    const button = event.currentTarget;
    setIsBusy(true);
    try {
      await act();
    } catch (error) {
      showError(error);
    }
    setIsBusy(false);
    if (!keepsFocus) return;
    // A button loses the focus while it is disabled.
    requestAnimationFrame(() => {
      if (button instanceof HTMLElement && document.activeElement === document.body) button.focus();
    });
  };
  return <Button {...rest} busy={isBusy} onClick={run} />;
}
