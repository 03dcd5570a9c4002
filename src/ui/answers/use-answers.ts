/* The rules of an endpoint on the page that edits them: the saved rules, the changes, and the requests that save or reset them. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AnswerRule } from '../../features/answers/model.ts';
import type { FilterError } from '../../shared/filter/filter.ts';
import { api } from '../kit/api.ts';
import { showToast } from '../kit/toasts.tsx';
import { type Restored, useQuestionBeforeClosing } from '../kit/use-draft.ts';
import { type Query, useQuery } from '../kit/use-query.ts';
import { draftOf, newKey, type RuleDraft, type RuleProblems, rulesOf } from './draft.ts';
import { keepRules, keptRules } from './draft-store.ts';
import { problemOfError, type ServerProblem } from './server-problem.ts';
import { type Preview, usePreview } from './use-preview.ts';

export type AnswersEditor = {
  /** Undefined until the rules are loaded. */
  drafts: readonly RuleDraft[] | undefined;
  setDrafts: (drafts: readonly RuleDraft[]) => void;
  saved: readonly AnswerRule[] | undefined;
  /** The drafts as the API takes them. */
  rules: readonly AnswerRule[];
  isDirty: boolean;
  restored: Restored;
  loadProblem: string;
  reload: () => void;
  preview: Preview;
  problemsOf: (key: number) => RuleProblems;
  /** Problems that the server found in the condition of a rule. */
  filterProblemOf: (key: number) => FilterError | undefined;
  /** A problem that belongs to no field. */
  problem: string;
  /** Known without asking the server. */
  hasProblems: boolean;
  isBusy: boolean;
  save: () => Promise<boolean>;
  discard: () => void;
  reset: () => Promise<boolean>;
};

const withoutKeys = (drafts: readonly RuleDraft[]): string =>
  JSON.stringify(drafts.map(({ key: _, ...fields }) => fields));

export function useAnswers(endpointId: string, onSaved: () => void): AnswersEditor {
  const query = useQuery(endpointId, () => api.answers(endpointId));
  const saved = query.value?.rules;
  const { drafts, setDrafts, base, isDirty, restored, replace } = useDrafts(endpointId, query);
  const [refusedSave, setRefusal] = useState<ServerProblem>();
  const [isBusy, setIsBusy] = useState(false);
  const read = useMemo(() => rulesOf(drafts ?? []), [drafts]);
  const hasProblems = read.problems.size > 0;
  const preview = usePreview(endpointId, drafts ?? [], drafts && !hasProblems ? read.rules : undefined);
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
      setRefusal(problemOfError(error, drafts ?? []));
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  const problemsOf = (key: number): RuleProblems => {
    const own = read.problems.get(key) ?? {};
    return refusal?.key === key && refusal.field ? { [refusal.field]: refusal.message, ...own } : own;
  };
  return {
    preview,
    filterProblemOf: key => (refusal?.key === key ? refusal.filter : undefined),
    drafts,
    setDrafts: next => {
      setRefusal(undefined);
      setDrafts(next);
    },
    saved,
    rules: read.rules,
    isDirty,
    restored,
    loadProblem: query.problem,
    reload: query.reload,
    problemsOf,
    problem: refusal && !refusal.field ? refusal.message : '',
    hasProblems,
    isBusy,
    save: () =>
      send(() => api.saveAnswers(endpointId, read.rules), 'Answers saved. They apply from the next delivery.'),
    discard: () => {
      setRefusal(undefined);
      setDrafts(base);
    },
    reset: () =>
      send(async () => {
        await api.resetAnswers(endpointId);
        return { rules: [] };
      }, 'The endpoint gives the default answer again.'),
  };
}

type Drafts = Pick<AnswersEditor, 'isDirty' | 'restored'> & {
  drafts: readonly RuleDraft[] | undefined;
  setDrafts: (drafts: readonly RuleDraft[]) => void;
  /** The drafts without changes. */
  base: readonly RuleDraft[];
  /** These rules are the saved ones now. */
  replace: (rules: readonly AnswerRule[]) => void;
};

/** The drafts, kept while they differ from the saved rules. */
function useDrafts(endpointId: string, { value }: Query<{ rules: AnswerRule[] }>): Drafts {
  const [base, setBase] = useState<readonly RuleDraft[]>([]);
  const [drafts, setDrafts] = useState<readonly RuleDraft[]>();
  const [restored, setRestored] = useState<AnswersEditor['restored']>('no');
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
    replace: rules => {
      // The rules on the page stay the same ones: open parts stay open, and the focus stays where it is.
      const next = rules.map((rule, at) => ({ ...draftOf(rule), ...(drafts?.[at] && { key: drafts[at].key }) }));
      setBase(next);
      setDrafts(next);
    },
  };
}
