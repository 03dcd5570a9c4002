/* A button that copies text to the clipboard and confirms it. */

import { useEffect, useState } from 'preact/hooks';
import { Button, IconButton } from './controls.tsx';
import { showError } from './toasts.tsx';

type CopyButtonProps = {
  text: string | (() => string);
  label?: string;
  what?: string;
  kind?: 'plain' | 'quiet' | 'primary';
  autofocus?: boolean;
};

const copiedMs = 1600;

/** @returns whether it was just copied, and the function that copies */
export function useCopy(text: string | (() => string)): [isCopied: boolean, copy: () => Promise<void>] {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(setIsCopied, copiedMs, false);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    const isDone = await copyText(typeof text === 'string' ? text : text());
    setIsCopied(isDone);
    if (!isDone) showError('Your browser blocked copying. Select the text and copy it yourself.');
  };
  return [isCopied, copy];
}

/** Shows “Copied” for a moment without changing its width. Without a label it is an icon button named after `what`. */
export function CopyButton({ text, label, what = 'value', kind = 'plain', autofocus = false }: CopyButtonProps) {
  const [copied, copy] = useCopy(text);
  const icon = copied ? 'check' : 'copy';
  if (label === undefined) {
    return (
      <IconButton icon={icon} label={copied ? 'Copied' : `Copy ${what}`} class={copied ? 'done' : ''} onClick={copy} />
    );
  }
  return (
    <Button kind={kind} icon={icon} class={`copy ${copied ? 'done' : ''}`} autofocus={autofocus} onClick={copy}>
      <span class="swap">
        <span aria-hidden={copied}>{label}</span>
        <span aria-hidden={!copied}>Copied</span>
      </span>
    </Button>
  );
}

export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard && isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused (no focus or no permission): the fallback may still work.
    }
  }
  return copyBySelection(text);
}

const copyBySelection = (text: string): boolean => {
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.className = 'offscreen';
  const previousFocus = document.activeElement;
  // While a modal dialog is open, elements outside of it are inert and cannot be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (previousFocus instanceof HTMLElement) previousFocus.focus();
  return isCopied;
};
