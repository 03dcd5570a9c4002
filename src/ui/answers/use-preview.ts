/*
 * The rules that would have answered the newest deliveries, requested again while the rules are edited. The server checks the rules
 * each time, so problems are known before they are saved.
 */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { AnswerPreview, AnswerRule } from '../../features/answers/model.ts';
import { ApiError, api, isRetryable } from '../kit/api.ts';
import { type Refusal, type RuleDraft, refusalOf } from './rule-schema.tsx';

const typingMs = 300;
const retryMs = 5000;

export type Preview = {
  /** For the last valid rules; undefined until the first answer. */
  events: AnswerPreview['events'] | undefined;
  /** Why these rules cannot be saved. */
  refusal: Refusal | undefined;
  /** Why there is no preview. */
  problem: string;
};

const nothing: Preview = { events: undefined, refusal: undefined, problem: '' };

/** @param rules from the drafts; undefined while they have problems: the last preview stays */
export function usePreview(
  endpointId: string,
  drafts: readonly RuleDraft[],
  rules: readonly AnswerRule[] | undefined,
): Preview {
  const [preview, setPreview] = useState(nothing);
  const [retries, setRetries] = useState(0);
  const isFirst = useRef(true);
  const asked = rules && JSON.stringify(rules);
  useEffect(() => {
    if (asked === undefined) return setPreview(old => ({ ...old, refusal: undefined }));
    const abort = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    const fail = (error: unknown): void => {
      const isRefused = error instanceof ApiError && error.status === 400;
      const refusal = isRefused ? refusalOf(error, drafts) : undefined;
      const problem = isRefused ? '' : error instanceof Error ? error.message : String(error);
      setPreview(old => ({ ...old, refusal, problem }));
      if (isRetryable(error)) retry = setTimeout(() => setRetries(n => n + 1), retryMs);
    };
    const ask = async (): Promise<void> => {
      try {
        const { events } = await api.previewAnswers(endpointId, JSON.parse(asked), abort.signal);
        if (!abort.signal.aborted) setPreview({ ...nothing, events });
      } catch (error) {
        if (!abort.signal.aborted) fail(error);
      }
    };
    const timer = setTimeout(ask, isFirst.current ? 0 : typingMs);
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      clearTimeout(retry);
      abort.abort();
    };
  }, [endpointId, asked, retries]);
  return preview;
}
