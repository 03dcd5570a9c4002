/*
 * The rules that would have answered the newest deliveries, requested again while the rules are edited. The server checks the rules
 * each time, so problems are known before they are saved.
 */

import type { AnswerPreview, AnswerRule } from '../../features/answers/model.ts';
import { ApiError, api } from '../kit/api.ts';
import { messageOf } from '../kit/toasts.tsx';
import { useLivePreview } from '../kit/use-live-preview.ts';
import { type Refusal, type RuleDraft, refusalOf } from './rule-schema.tsx';

export type Preview = {
  /** For the last valid rules; undefined until the first answer. */
  events: AnswerPreview['events'] | undefined;
  /** Why these rules cannot be saved. */
  refusal: Refusal | undefined;
  /** Why there is no preview. */
  problem: string;
};

/** @param rules from the drafts; undefined while they have problems: the last preview stays */
export function usePreview(
  endpointId: string,
  drafts: readonly RuleDraft[],
  rules: readonly AnswerRule[] | undefined,
): Preview {
  const { value, failure } = useLivePreview(
    rules && JSON.stringify(rules),
    (asked, signal) => api.previewAnswers(endpointId, JSON.parse(asked), signal),
    error =>
      error instanceof ApiError && error.status === 400
        ? { refusal: refusalOf(error, drafts), problem: '' }
        : { refusal: undefined, problem: messageOf(error) },
  );
  return { events: value?.events, refusal: failure?.refusal, problem: failure?.problem ?? '' };
}
