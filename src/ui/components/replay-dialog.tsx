/* Sending one event or several again. The destination is remembered per endpoint; several go one after the other, oldest first. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, api } from '../api.ts';
import { formatCount, formatDuration } from '../format/time.ts';
import { visibleLine, visibleText } from '../format/visible.ts';
import type { ReplayResult } from '../wire.ts';
import { StatusBadge } from './badges.tsx';
import { Button, Dialog, Field, Notice } from './controls.tsx';
import { loadPreference, savePreference } from './preferences.ts';
import { showError, showToast } from './toasts.tsx';

const maxDestinations = 8;

/** Destinations used for an endpoint, newest first. */
const destinations = (endpointId: string): string[] => {
  try {
    const kept: unknown = JSON.parse(loadPreference(`destinations.${endpointId}`) ?? '[]');
    return Array.isArray(kept) ? kept.filter(one => typeof one === 'string') : [];
  } catch {
    return [];
  }
};

export const lastDestination = (endpointId: string): string | undefined => destinations(endpointId)[0];

const rememberDestination = (endpointId: string, url: string): void =>
  savePreference(
    `destinations.${endpointId}`,
    JSON.stringify([...new Set([url, ...destinations(endpointId)])].slice(0, maxDestinations)),
  );

type Sent = { id: string; result?: ReplayResult; problem?: string };

type ReplayDialogProps = {
  endpointId: string;
  events: { id: string; label: string }[];
  /** An event was sent, or could not be: also when the dialog was closed meanwhile. */
  onSent: (id: string) => void;
  onClose: () => void;
};

export function ReplayDialog({ endpointId, events, onSent, onClose }: ReplayDialogProps) {
  const many = events.length > 1;
  const [url, setUrl] = useState(() => lastDestination(endpointId) ?? '');
  const [problem, setProblem] = useState('');
  const [sent, setSent] = useState<Sent[]>([]);
  const [busy, setBusy] = useState(false);
  const stop = useRef(false);
  const closed = useRef(false);
  const halt = (): void => {
    stop.current = true;
  };
  useEffect(
    () => () => {
      closed.current = true;
      halt();
    },
    [],
  );

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setProblem('');
    setSent([]);
    setBusy(true);
    stop.current = false;
    let done = 0;
    for (const { id } of events) {
      if (stop.current) break;
      try {
        const result = await replayWaiting(id, url, stop);
        setSent(all => [...all, { id, result }]);
        rememberDestination(endpointId, url);
        if (closed.current && !many) showToast(`The replay was answered with ${result.status}.`);
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error);
        if (closed.current && !many) showError(`The replay was not delivered. ${words}`);
        if (error instanceof ApiError && error.status === 400) {
          setProblem(words);
          break;
        }
        setSent(all => [...all, { id, problem: words }]);
      }
      done += 1;
      onSent(id);
    }
    setBusy(false);
    if (closed.current && many) showToast(`Replayed ${done} of ${events.length}; closing the dialog stopped the rest.`);
  };

  const good = sent.filter(one => one.result?.ok).length;
  return (
    <Dialog
      title={
        many
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
          hint="Same method, headers and body bytes. Credentials were not stored and are not sent; x-service-replay carries the event id."
        />
        <datalist id="destinations">
          {destinations(endpointId).map(one => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <div class="dialog-actions">
          {busy && many && <Button onClick={halt}>Stop</Button>}
          <Button kind="primary" icon="replay" type="submit" busy={busy}>
            {sent.length > 0 && !busy ? 'Send again' : 'Send'}
          </Button>
        </div>
      </form>
      {many && (busy || sent.length > 0) && (
        <div class="progress">
          <progress max={events.length} value={sent.length} aria-label="Replayed" />
          <p role="status">
            {sent.length} of {events.length} sent, {good} answered with success
            {sent.length - good > 0 && `, ${sent.length - good} not`}.
          </p>
        </div>
      )}
      <div class="results" aria-live="polite">
        {sent.map(one => (
          <Outcome
            key={one.id}
            sent={one}
            label={events.find(event => event.id === one.id)?.label ?? ''}
            open={!many}
          />
        ))}
      </div>
    </Dialog>
  );
}

/** A rate limit in the middle of many replays is waited out; nothing was sent when it answered. */
const replayWaiting = async (id: string, url: string, stop: { current: boolean }): Promise<ReplayResult> => {
  for (;;) {
    try {
      return await api.replay(id, url);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || stop.current) throw error;
      await new Promise(resolve => setTimeout(resolve, error.retryAfterSeconds * 1000));
      if (stop.current) throw error;
    }
  }
};

function Outcome({ sent, label, open }: { sent: Sent; label: string; open: boolean }) {
  if (!sent.result)
    return (
      <Notice tone="bad" title={open ? 'Not delivered' : visibleLine(label)}>
        {sent.problem}
      </Notice>
    );
  const { ok, status, durationMs, responsePreview } = sent.result;
  return (
    <details class="outcome" open={open}>
      <summary>
        <StatusBadge status={status} ok={ok} />
        {!open && <span class="wrap">{visibleLine(label)}</span>}
        <span class="faint">
          {ok ? 'accepted' : 'answered without success'} after {formatDuration(durationMs)}
        </span>
      </summary>
      <pre class="code">{responsePreview === '' ? 'The answer had no body.' : visibleText(responsePreview)}</pre>
    </details>
  );
}
