/* The rules of an endpoint on the page that edits them: the saved rules, the changes, and the requests that save or reset them. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AnswerPreview, AnswerRule } from '../../features/answers/model.ts';
import { api } from '../kit/api.ts';
import { showToast } from '../kit/toasts.tsx';
import { isDraftLike, keepDraft, keptDraft, type Restored, useQuestionBeforeClosing } from '../kit/use-draft.ts';
import { type LivePreview, useLivePreview } from '../kit/use-live-preview.ts';
import { type Query, useQuery } from '../kit/use-query.ts';
import {
  draftOf,
  emptyRule,
  newKey,
  type Refusal,
  type RuleDraft,
  type RuleProblems,
  refusalOf,
  rulesOf,
} from './rule-schema.tsx';

export type AnswersEditor = ReturnType<typeof useAnswers>;
/** What the newest deliveries would have got. The server checks the rules each time, so problems are known before they are saved. */
export type Preview = LivePreview<AnswerPreview, Refusal>;

const withoutKeys = (drafts: readonly RuleDraft[]): string =>
  JSON.stringify(drafts.map(({ key: _, ...fields }) => fields));

export function useAnswers(endpointId: string, onSaved: () => void) {
  const query = useQuery(endpointId, () => api.answers(endpointId));
  const saved = query.value?.rules;
  const { drafts, setDrafts, base, isDirty, restored, replace } = useDrafts(endpointId, query);
  const [refusedSave, setRefusal] = useState<Refusal>();
  const [isBusy, setIsBusy] = useState(false);
  const read = useMemo(() => rulesOf(drafts ?? []), [drafts]);
  const hasProblems = read.problems.size > 0;
  const preview: Preview = useLivePreview(
    drafts && !hasProblems ? JSON.stringify(read.rules) : undefined,
    (asked, signal) => api.previewAnswers(endpointId, JSON.parse(asked), signal),
    error => refusalOf(error, drafts ?? []),
  );
  const refusal = refusedSave ?? preview.refusal;

  const send = async (work: () => Promise<{ rules: AnswerRule[] }>, message: string): Promise<boolean> => {
    setIsBusy(true);
    try {
      const answer = await work();
      replace(answer.rules);
      query.set(answer);
      setRefusal(undefined);
      onSaved();
      showToast(message);
      return true;
    } catch (error) {
      setRefusal(refusalOf(error, drafts ?? []));
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  return {
    preview,
    /** Why the server refused the rules, as it was thrown. */
    error: refusal?.error,
    drafts,
    setDrafts: (next: readonly RuleDraft[]): void => {
      setRefusal(undefined);
      setDrafts(next);
    },
    saved,
    /** The drafts as the API takes them. */
    rules: read.rules,
    isDirty,
    restored,
    /** Until there are drafts. */
    loading: { ...query, value: undefined },
    problemsOf: (key: number): RuleProblems => ({ ...refusal?.problems.get(key), ...read.problems.get(key) }),
    /** A problem that belongs to no field. */
    problem: refusal?.message ?? '',
    /** Known without asking the server. */
    hasProblems,
    isBusy,
    save: () => send(() => api.saveAnswers(endpointId, read.rules), 'Answers saved. They apply to the next delivery.'),
    discard: (): void => {
      setRefusal(undefined);
      setDrafts(base);
    },
    reset: () =>
      send(async () => {
        await api.resetAnswers(endpointId);
        return { rules: [] };
      }, 'Rules removed. Senders get 200 again.'),
  };
}

/** The drafts, kept while they differ from the saved rules. */
function useDrafts(endpointId: string, { value }: Query<{ rules: AnswerRule[] }>) {
  /** The drafts without changes. */
  const [base, setBase] = useState<readonly RuleDraft[]>([]);
  /** Undefined until the rules are loaded. */
  const [drafts, setDrafts] = useState<readonly RuleDraft[]>();
  const [restored, setRestored] = useState<Restored>('no');
  const isLoaded = useRef(false);
  useEffect(() => {
    if (!value || isLoaded.current) return;
    isLoaded.current = true;
    const loaded = value.rules.map(draftOf);
    const kept = keptRules(endpointId);
    const isKept = kept && withoutKeys(kept.drafts) !== withoutKeys(loaded);
    setBase(loaded);
    setDrafts(isKept ? kept.drafts.map(draft => ({ ...draft, key: newKey() })) : loaded);
    if (isKept) setRestored(kept.base === withoutKeys(loaded) ? 'yes' : 'changed');
  }, [value, endpointId]);
  const isDirty = drafts !== undefined && withoutKeys(drafts) !== withoutKeys(base);
  useEffect(() => {
    if (!drafts) return;
    keepRules(endpointId, isDirty ? { base: withoutKeys(base), drafts: [...drafts] } : undefined);
    if (!isDirty) setRestored('no');
  }, [endpointId, drafts, base, isDirty]);
  useQuestionBeforeClosing(isDirty);
  return {
    drafts,
    setDrafts,
    base,
    isDirty,
    restored: isDirty ? restored : 'no',
    /** These rules are the saved ones now. */
    replace: (rules: readonly AnswerRule[]): void => {
      // The rules on the page stay the same ones: open parts stay open, and the focus stays where it is.
      const next = rules.map((rule, at) => ({ ...draftOf(rule), ...(drafts?.[at] && { key: drafts[at].key }) }));
      setBase(next);
      setDrafts(next);
    },
  };
}

type KeptDraft = {
  /** The saved rules on which the changes are based, as text. */
  base: string;
  drafts: RuleDraft[];
};

const nameOf = (endpointId: string): string => `answers.${endpointId}`;

const keepRules = (endpointId: string, kept: KeptDraft | undefined): void => keepDraft(nameOf(endpointId), kept);

/** Unsaved rules of an earlier visit. Their keys are from that visit. */
function keptRules(endpointId: string): KeptDraft | undefined {
  const { base, drafts } = (keptDraft(nameOf(endpointId)) ?? {}) as { base?: unknown; drafts?: unknown };
  if (typeof base !== 'string' || !Array.isArray(drafts)) return undefined;
  const like = emptyRule();
  // An older version of this page may have kept something else.
  return drafts.every(draft => isDraftLike(draft, like)) ? { base, drafts } : undefined;
}
