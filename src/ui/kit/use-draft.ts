/* The draft of a form: what is saved, and the changes to it. The changes are kept while the tab is open, and end once they are saved. */

import { useEffect, useState } from 'preact/hooks';
import { isDraftLike, keepDraft, keptDraft } from './draft-store.ts';

/** Whether unsaved changes of an earlier visit are shown. `changed`: someone has saved something else since. */
export type Restored = 'no' | 'yes' | 'changed';

export type DraftState<T> = {
  draft: T;
  isDirty: boolean;
  change: (changed: Partial<T>) => void;
  /** The changes were saved. @param isOver whether the fields go back to what is saved; otherwise they only lose their secrets */
  settle: (isOver: boolean) => void;
  restored: Restored;
  /** Shows what is saved again. */
  discard: () => void;
  /** For a form that is cancelled. */
  forget: () => void;
};

/**
 * @param name of the form, with what it edits; undefined for a form whose draft is not kept
 * @param saved the draft without changes. Fields that were not changed follow it.
 * @param withoutSecrets a draft as it may be kept
 */
export function useDraft<T extends object>(
  name: string | undefined,
  saved: T,
  withoutSecrets: (draft: T) => T,
): DraftState<T> {
  const savedText = JSON.stringify(saved);
  const [kept] = useState(() => (name === undefined ? undefined : keptFor(name, saved)));
  const [changes, setChanges] = useState<Partial<T>>(kept?.draft ?? {});
  const [isShown, setIsShown] = useState(kept !== undefined);
  /** What was saved when the changes were sent: they stay in the fields until they come back from the server. */
  const [settledAt, setSettledAt] = useState<string>();
  const draft = { ...saved, ...changes };
  const isDirty = settledAt === undefined && JSON.stringify(draft) !== savedText;
  useEffect(() => {
    if (settledAt === undefined || settledAt === savedText) return;
    setSettledAt(undefined);
    setChanges({});
  }, [savedText]);
  useEffect(() => {
    if (name === undefined) return;
    const open = withoutSecrets(draft);
    const isKept = isDirty && JSON.stringify(open) !== savedText;
    keepDraft(name, isKept ? { base: savedText, draft: open } : undefined);
    if (!isDirty) setIsShown(false);
  }, [name, changes, isDirty]);
  useQuestionBeforeClosing(isDirty && name !== undefined);
  return {
    draft,
    isDirty,
    change(changed) {
      setSettledAt(undefined);
      setChanges(old => ({ ...old, ...changed }));
    },
    settle(isOver) {
      if (name !== undefined) keepDraft(name, undefined);
      setSettledAt(savedText);
      setChanges(isOver ? {} : withoutSecrets(draft));
    },
    restored: kept && isShown ? (kept.base === savedText ? 'yes' : 'changed') : 'no',
    discard: () => setChanges({}),
    forget: () => name !== undefined && keepDraft(name, undefined),
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
