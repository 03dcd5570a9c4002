/*
 * Unsaved rules, kept while this tab is open: leaving the page by accident, or reloading it, loses nothing. Stored text is read like
 * any untrusted text.
 */

import type { RuleDraft } from './draft.ts';

export type KeptDraft = {
  /** The saved rules on which the changes are based, as text. */
  base: string;
  drafts: RuleDraft[];
};

const prefix = 'hooktape.answers.';

export function keepDraft(endpointId: string, kept: KeptDraft | undefined): void {
  try {
    if (kept) sessionStorage.setItem(prefix + endpointId, JSON.stringify(kept));
    else sessionStorage.removeItem(prefix + endpointId);
  } catch {
    // Storage is full or not allowed: the browser still asks before it closes the page.
  }
}

/** Their keys are from an earlier visit. */
export function keptDraft(endpointId: string): KeptDraft | undefined {
  try {
    return readKept(JSON.parse(sessionStorage.getItem(prefix + endpointId) ?? 'null'));
  } catch {
    return undefined;
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

const texts = ['name', 'when', 'first', 'every', 'chance', 'rateMax', 'ratePerS', 'status', 'body', 'delay'] as const;

function readKept(value: unknown): KeptDraft | undefined {
  const { base, drafts } = (value ?? {}) as Partial<KeptDraft>;
  if (typeof base !== 'string' || !Array.isArray(drafts)) return undefined;
  return drafts.every(isDraft) ? { base, drafts } : undefined;
}

/** An older version of this page may have kept something else. */
function isDraft(value: unknown): value is RuleDraft {
  if (typeof value !== 'object' || value === null) return false;
  const draft = value as Record<string, unknown>;
  return (
    texts.every(name => typeof draft[name] === 'string') &&
    typeof draft['handshake'] === 'boolean' &&
    typeof draft['isBase64'] === 'boolean' &&
    ['endpoint', 'delivery'].includes(String(draft['per'])) &&
    ['', 'close', 'reset', 'stall'].includes(String(draft['fault'])) &&
    isPairs(draft['headers'])
  );
}

const isPairs = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(pair => Array.isArray(pair) && pair.length === 2 && pair.every(text => typeof text === 'string'));
