/* Which rule the newest deliveries would have met, asked again while the rules are edited. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { api, isRetryable } from '../api.ts';
import type { AnswerPreview, AnswerRule } from './wire.ts';

const typingMs = 300;
const retryMs = 5000;

export type Preview = {
  /** Of rules that were valid; undefined until the first answer. */
  events: AnswerPreview['events'] | undefined;
  problem: string;
};

/** @param rules undefined while something is wrong with them: the last preview stays */
export function usePreview(endpointId: string, rules: readonly AnswerRule[] | undefined): Preview {
  const [preview, setPreview] = useState<Preview>({ events: undefined, problem: '' });
  const [retries, setRetries] = useState(0);
  const isFirst = useRef(true);
  const asked = rules && JSON.stringify(rules);
  useEffect(() => {
    if (asked === undefined) return;
    const abort = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      try {
        const { events } = await api.previewAnswers(endpointId, JSON.parse(asked), abort.signal);
        if (!abort.signal.aborted) setPreview({ events, problem: '' });
      } catch (error) {
        if (abort.signal.aborted) return;
        setPreview(old => ({ ...old, problem: error instanceof Error ? error.message : String(error) }));
        if (isRetryable(error)) retry = setTimeout(setRetries, retryMs, (n: number) => n + 1);
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
