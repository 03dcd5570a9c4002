/* The draft of a form: what is saved, and the changes to it. The changes are kept while the tab is open, and end once they are saved. */

import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { attempt } from './attempt.ts';

/** Whether unsaved changes of an earlier visit are shown. `changed`: someone has saved something else since. */
export type Restored = 'no' | 'yes' | 'changed';

/**
 * @param name of the form, with what it edits; undefined for a form whose draft is not kept
 * @param saved the draft without changes. Fields that were not changed follow it.
 * @param withoutSecrets a draft as it may be kept
 */
export function useDraft<T extends object>(name: string | undefined, saved: T, withoutSecrets: (draft: T) => T) {
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
  const restored: Restored = kept && isShown ? (kept.base === savedText ? 'yes' : 'changed') : 'no';
  return {
    draft,
    isDirty,
    restored,
    change(changed: Partial<T>): void {
      setSettledAt(undefined);
      setChanges(old => ({ ...old, ...changed }));
    },
    /** The changes were saved. @param isOver whether the fields go back to what is saved; otherwise they only lose their secrets */
    settle(isOver: boolean): void {
      if (name !== undefined) keepDraft(name, undefined);
      setSettledAt(savedText);
      setChanges(isOver ? {} : withoutSecrets(draft));
    },
    /** Shows what is saved again. */
    discard: () => setChanges({}),
    /** For a form that is cancelled. */
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
  // Before the page is drawn: once it says that everything is saved, closing it asks nothing.
  useLayoutEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isDirty]);
}

const prefix = 'hooktape.draft.';

/** @param name of the form, with what it edits @param draft undefined to forget it */
export const keepDraft = (name: string, draft: unknown): void =>
  attempt(() => {
    if (draft === undefined) sessionStorage.removeItem(prefix + name);
    else sessionStorage.setItem(prefix + name, JSON.stringify(draft));
  });

/** @returns null without one that can be read */
export const keptDraft = (name: string): unknown =>
  attempt(() => JSON.parse(sessionStorage.getItem(prefix + name) ?? 'null')) ?? null;

/** Called on sign-out. */
export const forgetDrafts = (): void => clearSession(prefix);

/** Removes what this tab keeps under names that begin with a text. */
export const clearSession = (start: string): void =>
  attempt(() => {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(start)) sessionStorage.removeItem(name);
  });

/** Whether a value has the fields of a draft, with values of the same types. Lists are of texts, or of pairs such as headers. */
export function isDraftLike<T extends object>(value: unknown, like: T): value is T {
  if (typeof value !== 'object' || value === null) return false;
  const given = value as Record<string, unknown>;
  return Object.entries(like).every(([name, wanted]) =>
    Array.isArray(wanted) ? isPairs(given[name]) || isTexts(given[name]) : typeof given[name] === typeof wanted,
  );
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(text => typeof text === 'string');
export const isPairs = (value: unknown): boolean =>
  Array.isArray(value) && value.every(pair => isTexts(pair) && pair.length === 2);
