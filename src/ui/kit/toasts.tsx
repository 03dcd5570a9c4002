/* Toasts: short messages that disappear after a few seconds. Errors stay until dismissed. */

import { useEffect, useState } from 'preact/hooks';
import { IconButton } from './controls.tsx';

type Toast = { id: number; text: string; tone: 'good' | 'bad' };

let nextId = 1;
let pushToast: (toast: Toast) => void = () => {};

export const showToast = (text: string): void => pushToast({ id: nextId++, text, tone: 'good' });
export const showError = (error: unknown): void => pushToast({ id: nextId++, text: messageOf(error), tone: 'bad' });

/** The message of an error, for the user. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const shownMs = 4000;

export function Toasts() {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const dismiss = (id: number): void => setToasts(all => all.filter(toast => toast.id !== id));
  useEffect(() => {
    pushToast = toast => {
      setToasts(all => [...all.slice(-2), toast]);
      if (toast.tone === 'good') setTimeout(dismiss, shownMs, toast.id);
    };
  }, []);
  return (
    <div class="toasts col" role="status" aria-live="polite">
      {toasts.map(toast => (
        <div key={toast.id} class={`toast popup line spread breaks ${toast.tone === 'bad' ? 'bad' : ''}`}>
          <span>{toast.text}</span>
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(toast.id)} />
        </div>
      ))}
    </div>
  );
}
