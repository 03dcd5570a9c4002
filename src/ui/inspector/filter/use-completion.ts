/* When the suggestions of the search box are open, which of them is active, and where the caret is. */

import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { complete } from './completion.ts';
import type { SeenSource } from './use-seen-values.ts';

export type OpenCompletion = ReturnType<typeof useCompletion>;

const noFields: readonly string[] = [];

export function useCompletion(
  inputRef: RefObject<HTMLInputElement | null>,
  text: string,
  seen: SeenSource,
  without = noFields,
) {
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [caret, setCaret] = useState(0);
  const wantedCaret = useRef<number>(-1);

  const values = useMemo(() => (isOpen ? seen.read() : undefined), [isOpen, seen.read]);
  const completion = useMemo(
    () => values && complete(text, caret, values, Date.now(), without),
    [values, text, caret, without],
  );

  useLayoutEffect(() => {
    if (wantedCaret.current < 0) return;
    inputRef.current?.setSelectionRange(wantedCaret.current, wantedCaret.current);
    wantedCaret.current = -1;
  }, [text]);

  const onCaret = (): void => setCaret(inputRef.current?.selectionStart ?? 0);
  return {
    completion: completion && completion.suggestions.length > 0 ? completion : undefined,
    active,
    setActive,
    open(): void {
      onCaret();
      setActive(-1);
      setIsOpen(true);
    },
    close(): void {
      setActive(-1);
      setIsOpen(false);
    },
    /** Puts the caret there, in the text that is about to be shown. */
    placeCaret(at: number): void {
      wantedCaret.current = at;
      setCaret(at);
      setActive(-1);
    },
    /** The caret may have moved. */
    onCaret,
  };
}
