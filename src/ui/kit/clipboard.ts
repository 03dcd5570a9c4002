/* Copies text to the clipboard. Over plain http the Clipboard API is not available, so it falls back to document.execCommand. */

/** Returns whether the text was copied. */
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
