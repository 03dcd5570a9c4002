/*
 * Unsaved changes of forms, kept while this tab is open: leaving the page by accident, or reloading it, loses nothing. Stored text is
 * read like any untrusted text, since an older version of a page may have kept something else.
 */

const prefix = 'hooktape.draft.';

/** @param name of the form, with what it edits @param draft undefined to forget it */
export function keepDraft(name: string, draft: unknown): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(prefix + name);
    else sessionStorage.setItem(prefix + name, JSON.stringify(draft));
  } catch {
    // Storage is full or not allowed: the browser still asks before it closes the page.
  }
}

export function keptDraft(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + name) ?? 'null');
  } catch {
    return null;
  }
}

/** Called on sign-out. */
export function forgetDrafts(): void {
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(prefix)) sessionStorage.removeItem(name);
  } catch {
    // Without storage, nothing was kept.
  }
}

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
