/* The connection to the server: a control in the tab bar that also pauses live updates, and a line below the bar once it is lost. */

import { useMemo, useRef } from 'preact/hooks';
import { type ShownLive, useConnectionLabel, useShownLive } from '../inspector/live/shown-live.ts';
import { type Connection, failedState } from '../inspector/live/stream.ts';
import { formatTimeOfDay } from '../kit/format/time.ts';
import { type Query, retryDelayMs } from '../kit/use-query.ts';

/** What a repeated question says about the connection. */
export function useAnswered({ value, failures }: Pick<Query<object>, 'value' | 'failures'>): Connection {
  const openedAt = useRef(Date.now());
  const lastAt = useMemo(() => (value ? Date.now() : openedAt.current), [value]);
  const retryAt = useMemo(() => Date.now() + retryDelayMs(failures), [failures]);
  if (failures > 0) return { state: failedState(failures), retryAt, lastAt };
  return { state: value ? 'live' : 'connecting', lastAt };
}

type Answered = { answered: Connection };

export function ConnectionControl({ answered }: Answered) {
  const live = useShownLive();
  const connection = live ? live.connection : answered;
  return connection ? <Control connection={connection} live={live} /> : null;
}

function Control({ connection, live }: { connection: Connection; live: ShownLive | undefined }) {
  const connected = useConnectionLabel(connection);
  if (!live)
    return (
      <span class={`connection line rigid soft ${connection.state}`}>
        <span>{connected}</span>
      </span>
    );
  const { isPaused, heldCount, onPause } = live;
  const held = heldCount > 0 ? `${heldCount.toLocaleString()} new, paused` : 'Paused';
  return (
    <button
      type="button"
      class={`connection button quiet ${isPaused ? 'paused' : connection.state}`}
      aria-pressed={isPaused}
      title={`${isPaused ? 'Resume live updates' : 'Pause live updates'} (p)`}
      onClick={() => onPause(!isPaused)}
    >
      <span>{isPaused ? held : connected}</span>
    </button>
  );
}

export function ConnectionLine({ answered }: Answered) {
  const live = useShownLive();
  const { state, lastAt } = (live ? live.connection : answered) ?? {};
  return (
    <div role="status">
      {state === 'off' && lastAt !== undefined && (
        <p class="bar-line bad">
          No connection since {formatTimeOfDay(lastAt, Date.now())}. What you see is from before.
        </p>
      )}
    </div>
  );
}
