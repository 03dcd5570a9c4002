/* A button that copies text to the clipboard and confirms it. */

import { useEffect, useState } from 'preact/hooks';
import { copyText } from './clipboard.ts';
import { Button, IconButton } from './controls.tsx';
import { showError } from './toasts.tsx';

type CopyButtonProps = {
  text: string | (() => string);
  label?: string;
  what?: string;
  kind?: 'plain' | 'quiet' | 'primary';
  /** Has the focus when its dialog opens. */
  autofocus?: boolean;
};

const copiedLabelMs = 1600;

/** Shows “Copied” for a moment without changing its width. Without a label it is an icon button named after `what`. */
export function CopyButton({ text, label, what = 'value', kind = 'plain', autofocus = false }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(setCopied, copiedLabelMs, false);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async (): Promise<void> => {
    const isCopied = await copyText(typeof text === 'string' ? text : text());
    setCopied(isCopied);
    if (!isCopied) showError('Your browser blocked copying. Select the text and copy it yourself.');
  };
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
