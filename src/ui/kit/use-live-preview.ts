/* What the server says about a draft, asked again while it is edited. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { isRetryable } from './api.ts';

const typingMs = 300;
const retryMs = 5000;

/** `value`: for the last draft that the server took; undefined until the first answer. `failure`: why this draft has no preview. */
export type LivePreview<T, E> = { value: T | undefined; failure: E | undefined };

/** @param asked the draft as text; undefined while it has problems: the last preview stays @param failureOf called with the draft that failed */
export function useLivePreview<T, E>(
  asked: string | undefined,
  ask: (asked: string, signal: AbortSignal) => Promise<T>,
  failureOf: (error: unknown) => E,
): LivePreview<T, E> {
  const [preview, setPreview] = useState<LivePreview<T, E>>({ value: undefined, failure: undefined });
  const [retries, setRetries] = useState(0);
  const isFirst = useRef(true);
  useEffect(() => {
    if (asked === undefined) return setPreview(({ value }) => ({ value, failure: undefined }));
    const abort = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    const run = async (): Promise<void> => {
      try {
        const value = await ask(asked, abort.signal);
        if (!abort.signal.aborted) setPreview({ value, failure: undefined });
      } catch (error) {
        if (abort.signal.aborted) return;
        setPreview(({ value }) => ({ value, failure: failureOf(error) }));
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
