/* The dialog that replays one or several events to a destination. Several events are sent one after the other, in the given order. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { ReplayResult } from '../../features/replays/model.ts';
import { ApiError, api } from '../api.ts';
import { formatCount, formatDuration } from '../format/time.ts';
import { visibleLine, visibleText } from '../format/visible.ts';
import { StatusBadge } from './badges.tsx';
import { Button, Dialog, Field, Notice } from './controls.tsx';
import { lastDestination, listDestinations, saveDestination } from './replay-destinations.ts';
import { showError, showToast } from './toasts.tsx';

type Attempt = { id: string; result?: ReplayResult; problem?: string };

type ReplayDialogProps = {
  endpointId: string;
  events: { id: string; label: string }[];
  /** Called after each attempt, successful or not, also after the dialog was closed. */
  onSent: (id: string) => void;
  onClose: () => void;
};

export function ReplayDialog({ endpointId, events, onSent, onClose }: ReplayDialogProps) {
  const isBatch = events.length > 1;
  const [url, setUrl] = useState(() => lastDestination(endpointId) ?? '');
  const { attempts, problem, isBusy, send, stop } = useReplay({ endpointId, events, onSent });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    await send(url);
  };
  return (
    <Dialog
      title={
        isBatch
          ? `Replay ${formatCount(events.length, 'event')}`
          : `Replay ${visibleLine(events[0]?.label ?? 'event').slice(0, 60)}`
      }
      wide
      onClose={onClose}
    >
      <form onSubmit={submit}>
        <Field
          label="Destination"
          type="url"
          list="destinations"
          placeholder="http://localhost:3000/webhooks"
          required
          autoFocus
          spellcheck={false}
          value={url}
          onText={setUrl}
          problem={problem}
          hint="Sends the same method, headers and body bytes, plus the event id in x-service-replay. Credentials are not stored and not sent."
        />
        <datalist id="destinations">
          {listDestinations(endpointId).map(one => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <div class="dialog-actions">
          {isBusy && isBatch && <Button onClick={stop}>Stop</Button>}
          <Button kind="primary" icon="replay" type="submit" busy={isBusy}>
            {attempts.length > 0 && !isBusy ? 'Send again' : 'Send'}
          </Button>
        </div>
      </form>
      {isBatch && (isBusy || attempts.length > 0) && <Progress attempts={attempts} total={events.length} />}
      <div class="results" aria-live="polite">
        {attempts.map(attempt => (
          <Outcome
            key={attempt.id}
            attempt={attempt}
            label={events.find(event => event.id === attempt.id)?.label ?? ''}
            open={!isBatch}
          />
        ))}
      </div>
    </Dialog>
  );
}

/**
 * Sends the events one after the other. Closing the dialog stops a batch after the current event; results that arrive after that are
 * shown as toasts.
 */
function useReplay({ endpointId, events, onSent }: Omit<ReplayDialogProps, 'onClose'>) {
  const isBatch = events.length > 1;
  const [problem, setProblem] = useState('');
  const [attempts, setAttempts] = useState<Attempt[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  const isStopped = useRef(false);
  const isClosed = useRef(false);
  const stop = (): void => {
    isStopped.current = true;
  };
  useEffect(
    () => () => {
      isClosed.current = true;
      stop();
    },
    [],
  );

  const send = async (url: string): Promise<void> => {
    setProblem('');
    setAttempts([]);
    setIsBusy(true);
    isStopped.current = false;
    let sentCount = 0;
    for (const { id } of events) {
      if (isStopped.current) break;
      try {
        const result = await replayWithinRateLimit(id, url, isStopped);
        setAttempts(all => [...all, { id, result }]);
        saveDestination(endpointId, url);
        if (isClosed.current && !isBatch) showToast(`The replay was answered with ${result.status}.`);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (isClosed.current && !isBatch) showError(`The replay was not delivered. ${message}`);
        // The destination is not allowed: it would be refused for every other event too.
        if (error instanceof ApiError && error.status === 400) {
          setProblem(message);
          break;
        }
        setAttempts(all => [...all, { id, problem: message }]);
      }
      sentCount += 1;
      onSent(id);
    }
    setIsBusy(false);
    if (isClosed.current && isBatch) {
      showToast(`Replayed ${sentCount} of ${events.length} events. The rest stopped when the dialog was closed.`);
    }
  };
  return { attempts, problem, isBusy, send, stop };
}

/** Waits out the rate limit (429) and sends again, unless the batch was stopped. The server sends nothing when it answers 429. */
const replayWithinRateLimit = async (
  id: string,
  url: string,
  isStopped: { current: boolean },
): Promise<ReplayResult> => {
  for (;;) {
    try {
      return await api.replay(id, url);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || isStopped.current) throw error;
      await new Promise(resolve => setTimeout(resolve, error.retryAfterSeconds * 1000));
      if (isStopped.current) throw error;
    }
  }
};

const Progress = ({ attempts, total }: { attempts: Attempt[]; total: number }) => {
  const succeeded = attempts.filter(one => one.result?.ok).length;
  const failed = attempts.length - succeeded;
  return (
    <div class="progress">
      <progress max={total} value={attempts.length} aria-label="Replayed" />
      <p role="status">
        {attempts.length} of {total} sent, {succeeded} succeeded{failed > 0 && `, ${failed} failed`}.
      </p>
    </div>
  );
};

function Outcome({ attempt, label, open }: { attempt: Attempt; label: string; open: boolean }) {
  if (!attempt.result)
    return (
      <Notice tone="bad" title={open ? 'Not delivered' : visibleLine(label)}>
        {attempt.problem}
      </Notice>
    );
  const { ok, status, durationMs, responsePreview } = attempt.result;
  return (
    <details class="outcome" open={open}>
      <summary>
        <StatusBadge status={status} ok={ok} />
        {!open && <span class="wrap">{visibleLine(label)}</span>}
        <span class="faint">
          {ok ? 'succeeded' : 'failed'} after {formatDuration(durationMs)}
        </span>
      </summary>
      <pre class="code">{responsePreview === '' ? 'The response had no body.' : visibleText(responsePreview)}</pre>
    </details>
  );
}
