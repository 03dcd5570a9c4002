/* Unsaved rules, kept while this tab is open. */

import { isPairs, keepDraft, keptDraft } from '../kit/draft-store.ts';
import type { RuleDraft } from './draft.ts';

export type KeptDraft = {
  /** The saved rules on which the changes are based, as text. */
  base: string;
  drafts: RuleDraft[];
};

const nameOf = (endpointId: string): string => `answers.${endpointId}`;

export const keepRules = (endpointId: string, kept: KeptDraft | undefined): void => keepDraft(nameOf(endpointId), kept);

/** Their keys are from an earlier visit. */
export const keptRules = (endpointId: string): KeptDraft | undefined => readKept(keptDraft(nameOf(endpointId)));

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
