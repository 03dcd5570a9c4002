/* What the server says about a draft, asked again while it is edited. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, isRetryable } from './api.ts';
import { messageOf } from './toasts.tsx';

const typingMs = 300;
const retryMs = 5000;

/**
 * `value`: for the last draft that the server took; undefined until the first answer. `refusal`: why this draft cannot be saved.
 * `problem`: why there is no preview of it.
 */
export type LivePreview<T, R> = { value: T | undefined; refusal?: R; problem: string };

/** @param asked the draft as text; undefined while it has problems: the last preview stays */
export function useLivePreview<T, R>(
  asked: string | undefined,
  ask: (asked: string, signal: AbortSignal) => Promise<T>,
  refusalOf: (error: unknown) => R,
): LivePreview<T, R> {
  const [preview, setPreview] = useState<LivePreview<T, R>>({ value: undefined, problem: '' });
  const [retries, setRetries] = useState(0);
  const isFirst = useRef(true);
  useEffect(() => {
    if (asked === undefined) return setPreview(({ value }) => ({ value, problem: '' }));
    const abort = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    const run = async (): Promise<void> => {
      try {
        const value = await ask(asked, abort.signal);
        if (!abort.signal.aborted) setPreview({ value, problem: '' });
      } catch (error) {
        if (abort.signal.aborted) return;
        const isRefused = error instanceof ApiError && error.status === 400;
        const failure = isRefused ? { refusal: refusalOf(error), problem: '' } : { problem: messageOf(error) };
        setPreview(({ value }) => ({ value, ...failure }));
        if (isRetryable(error)) retry = setTimeout(() => setRetries(n => n + 1), retryMs);
      }
    };
    const timer = setTimeout(run, isFirst.current ? 0 : typingMs);
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      clearTimeout(retry);
      abort.abort();
    };
  }, [asked, retries]);
  return preview;
}
