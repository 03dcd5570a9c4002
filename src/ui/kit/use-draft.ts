/* The draft of a form, kept while it differs from what is saved. */

import { useCallback, useEffect, useState } from 'preact/hooks';
import { isDraftLike, keepDraft, keptDraft } from './draft-store.ts';

/** Whether unsaved changes of an earlier visit are shown. `changed`: someone has saved something else since. */
export type Restored = 'no' | 'yes' | 'changed';

export type DraftState<T> = {
  draft: T;
  setDraft: (change: (draft: T) => T) => void;
  restored: Restored;
  /** Shows what is saved again. */
  discard: () => void;
  /** For a form that is saved or cancelled. */
  forget: () => void;
};

/**
 * @param name of the form, with what it edits
 * @param saved the draft without changes
 * @param secret a field that is not kept
 */
export function useDraft<T extends object>(name: string, saved: () => T, secret?: keyof T & string): DraftState<T> {
  const [base] = useState(saved);
  const [kept] = useState(() => keptFor(name, base));
  const [draft, setDraft] = useState<T>(kept ? { ...base, ...kept.draft } : base);
  const [isShown, setIsShown] = useState(kept !== undefined);
  const baseText = JSON.stringify(base);
  const isDirty = JSON.stringify(draft) !== baseText;
  useEffect(() => {
    const open = secret === undefined ? draft : { ...draft, [secret]: base[secret] };
    const isKept = JSON.stringify(open) !== baseText;
    keepDraft(name, isKept ? { base: baseText, draft: open } : undefined);
    if (!isDirty) setIsShown(false);
  }, [name, draft]);
  useQuestionBeforeClosing(isDirty);
  return {
    draft,
    setDraft,
    restored: kept && isShown ? (kept.base === baseText ? 'yes' : 'changed') : 'no',
    discard: useCallback(() => setDraft(base), [base]),
    forget: useCallback(() => keepDraft(name, undefined), [name]),
  };
}

function keptFor<T extends object>(name: string, base: T): { base: string; draft: T } | undefined {
  const kept = (keptDraft(name) ?? {}) as { base?: unknown; draft?: unknown };
  return typeof kept.base === 'string' && isDraftLike(kept.draft, base)
    ? { base: kept.base, draft: kept.draft }
    : undefined;
}

/** Within the tab, nothing is lost. */
export function useQuestionBeforeClosing(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isDirty]);
}
