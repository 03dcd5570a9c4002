/* The rules of a redaction as they are edited, and what is wrong with them. Pure. */

import type { Detection, RedactionPlace, Treatment } from '../../shared/redaction.ts';
import { ApiError } from '../kit/api.ts';
import { messageOf } from '../kit/toasts.tsx';
import type { Rule } from './redaction-api.ts';

export type RuleDraft = { key: number; target: RedactionPlace | Detection; path: string; with: Treatment };

export const targets: readonly { id: RuleDraft['target']; label: string }[] = [
  { id: 'body', label: 'Body field' },
  { id: 'header', label: 'Header' },
  { id: 'query', label: 'Query parameter' },
  { id: 'card', label: 'Card numbers, anywhere' },
  { id: 'email', label: 'Email addresses, anywhere' },
  { id: 'ip', label: 'IP addresses, anywhere' },
];

export const treatmentOptions: readonly { id: Treatment; label: string }[] = [
  { id: 'remove', label: 'Remove' },
  { id: 'mask', label: 'Mask (****1234)' },
  { id: 'hash', label: 'Hash' },
];

const examples = { body: 'customer.email, or *.email at any depth', header: 'X-Customer', query: 'token' };

/** Undefined if the rule has no path. */
export const exampleOf = (target: RuleDraft['target']): string | undefined =>
  target in examples ? examples[target as RedactionPlace] : undefined;

let nextKey = 1;

export const emptyRule = (): RuleDraft => ({ key: nextKey++, target: 'body', path: '', with: 'remove' });

export const draftOf = (rule: Rule): RuleDraft =>
  'detect' in rule
    ? { key: nextKey++, target: rule.detect, path: '', with: rule.with }
    : { key: nextKey++, target: rule.in, path: rule.path, with: rule.with };

export function ruleOf({ target, path, with: treatment }: RuleDraft): Rule {
  if (target === 'card' || target === 'email' || target === 'ip') return { detect: target, with: treatment };
  return { in: target, path: path.trim(), with: treatment };
}

export const hasEmptyPath = (drafts: readonly RuleDraft[]): boolean =>
  drafts.some(({ target, path }) => exampleOf(target) !== undefined && path.trim() === '');

/** What the server found wrong: by the index of the rule, or about no single rule. */
export type Refusal = { byRule: ReadonlyMap<number, string>; message: string };

export function refusalOf(error: unknown): Refusal {
  const byRule = new Map<number, string>();
  for (const { path, message } of error instanceof ApiError ? error.problems : []) {
    const [, index] = /^rules\[(\d+)\]/.exec(path) ?? [];
    if (index === undefined) return { byRule: new Map(), message: messageOf(error) };
    const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
    if (!byRule.has(Number(index))) byRule.set(Number(index), sentence);
  }
  return { byRule, message: byRule.size > 0 ? '' : messageOf(error) };
}

/** The rule for a field that a filter names, such as `body.customer.email`; undefined for fields that no rule can name. */
export function ruleForField(field: string, treatment: Treatment): Rule | undefined {
  const [, place, path = ''] = /^(body|header|query)(?:\.|(?=\[))(.+)$/s.exec(field) ?? [];
  return place === undefined ? undefined : { in: place as RedactionPlace, path, with: treatment };
}

/** `3 of the last 40 events would change.` */
export function countOf(changed: number, all: number): string {
  if (all === 0) return 'No events yet.';
  const those = all === 1 ? 'the last event' : `the last ${all} events`;
  if (changed === 0) return `The rules take nothing from ${those}.`;
  if (all === 1) return 'The last event would change.';
  return changed === all ? `All of ${those} would change.` : `${changed} of ${those} would change.`;
}
