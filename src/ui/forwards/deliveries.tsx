/* The events that a forward has not delivered, by state. The URL holds which are shown. Single ones, or many, are retried or skipped. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Forward, ForwardDelivery } from '../../features/forwards/model.ts';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { ActionButton } from '../kit/action.tsx';
import { Button, Notice, Skeleton } from '../kit/controls.tsx';
import { confirm, openDialog } from '../kit/dialogs.tsx';
import { formatCount, formatExactTime } from '../kit/format/time.ts';
import { visibleLine } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Time } from '../kit/time.tsx';
import { messageOf, showToast } from '../kit/toasts.tsx';
import { ActDialog } from './act-dialog.tsx';
import { ForwardCounts } from './forward-state.tsx';
import { type DeliveryState, forwardsApi } from './forwards-api.ts';
import { type Act, countOf, deliveryLabels, nextText, openOf, reasonText } from './wording.ts';

const pageSize = 50;

type Props = {
  endpointId: string;
  forward: Forward;
  /** Undefined: everything is delivered. */
  state: DeliveryState | undefined;
  onChange: (forward: Forward) => void;
};

export function Deliveries({ endpointId, forward, state, onChange }: Props) {
  return (
    <section class="card section" aria-labelledby="forward-events">
      <h2 id="forward-events" tabIndex={-1}>
        Events
      </h2>
      {state === undefined ? (
        <p class="faint">All events are delivered.</p>
      ) : (
        <>
          <ForwardCounts endpointId={endpointId} forward={forward} current={state} />
          <Acts endpointId={endpointId} forward={forward} onChange={onChange} />
          <Rows key={state} endpointId={endpointId} forward={forward} state={state} onChange={onChange} />
        </>
      )}
    </section>
  );
}

function Acts({ endpointId, forward, onChange }: Omit<Props, 'state'>) {
  const { failed, givenUp, mode } = forward;
  const button = (label: string, act: Act) => (
    <Button
      onClick={() => openDialog(close => <ActDialog {...{ endpointId, forward, act, onChange }} onClose={close} />)}
    >
      {label}
    </Button>
  );
  if (openOf(forward) + givenUp === 0) return null;
  return (
    <div class="row">
      {givenUp > 0 && button('Retry all given up', 'retry-given-up')}
      {failed > 0 && button(mode === 'ordered' ? 'Skip blocking events' : 'Skip all failed', 'skip-blocked')}
      {failed + givenUp > 0 && button('Retry by filter…', 'retry-matching')}
      {button('Skip by filter…', 'skip-matching')}
    </div>
  );
}

function Rows({ endpointId, forward, state, onChange }: Props & { state: DeliveryState }) {
  const list = useDeliveries(endpointId, forward, state);
  const { rows, problem } = list;
  const focus = useRowFocus(rows);
  const retry = async ({ eventId }: ForwardDelivery): Promise<void> => {
    const keepFocus = focus.from(eventId, 'retry');
    try {
      const changed = await forwardsApi.act(endpointId, forward.id, 'retry', { eventId });
      if (state === 'given_up') list.drop(eventId);
      onChange(changed);
      showToast('Retrying the event.');
    } finally {
      keepFocus();
    }
  };
  const skip = async (delivery: ForwardDelivery): Promise<void> => {
    const { eventId } = delivery;
    const keepFocus = focus.from(eventId, 'skip');
    const isSkipped = await askToSkip(delivery, async () => {
      const changed = await forwardsApi.act(endpointId, forward.id, 'skip', { eventId });
      list.drop(eventId);
      onChange(changed);
    });
    if (isSkipped) keepFocus();
  };
  if (!rows) return problem ? <Notice tone="bad">{problem}</Notice> : <Skeleton rows={3} />;
  return (
    <>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {rows.length === 0 && <p class="faint">{emptyTexts[state]}</p>}
      <ul class="forward-rows" ref={focus.list} aria-label={`${deliveryLabels[state]} events`}>
        {rows.map(delivery => (
          <DeliveryRow
            key={delivery.eventId}
            endpointId={endpointId}
            forward={forward}
            delivery={delivery}
            onRetry={() => retry(delivery)}
            onSkip={() => skip(delivery)}
          />
        ))}
      </ul>
      {(list.hasMore || list.isLong) && (
        <div class="row">
          {list.hasMore && <ActionButton act={list.more}>Show more</ActionButton>}
          {list.isLong && (
            <ActionButton kind="quiet" act={list.refresh}>
              Back to the oldest
            </ActionButton>
          )}
          <span class="faint">
            {rows.length.toLocaleString()} of {formatCount(Math.max(rows.length, countOf(forward, state)), 'event')}
          </span>
        </div>
      )}
    </>
  );
}

function askToSkip(delivery: ForwardDelivery, run: () => Promise<void>): Promise<boolean> {
  const isOver = delivery.state === 'given_up';
  return confirm({
    title: isOver ? 'Remove this event from the list?' : 'Skip this event?',
    text: (
      <p class="wrap">
        <strong>{eventName(delivery)}</strong>{' '}
        {isOver ? 'is removed from the list and can no longer be retried here.' : "won't be sent."} It stays stored and
        can be replayed.
      </p>
    ),
    button: isOver ? 'Remove' : 'Skip the event',
    run,
  });
}

const emptyTexts: Record<DeliveryState, string> = {
  waiting: 'No events are waiting.',
  failed: 'No failed events.',
  given_up: 'No events were given up.',
};

type Loaded = { rows: ForwardDelivery[]; cursor: string | null };

/** Oldest first. The first page is read again whenever the forward was looked at. */
function useDeliveries(endpointId: string, forward: Forward, state: DeliveryState) {
  const [loaded, setLoaded] = useState<Loaded>();
  const [problem, setProblem] = useState('');
  const latest = useRef(0);
  const load = async (before: Loaded | undefined): Promise<void> => {
    const turn = ++latest.current;
    const options = { limit: pageSize, ...(before?.cursor && { cursor: before.cursor }) };
    try {
      const page = await forwardsApi.deliveries(endpointId, forward.id, state, options);
      if (turn !== latest.current) return;
      const known = new Set(before?.rows.map(({ eventId }) => eventId));
      const added = page.deliveries.filter(({ eventId }) => !known.has(eventId));
      setLoaded({ rows: [...(before?.rows ?? []), ...added], cursor: page.nextCursor });
      setProblem('');
    } catch (error) {
      if (turn === latest.current) setProblem(messageOf(error));
    }
  };
  /** More than a page: it does not follow by itself. */
  const isLong = (loaded?.rows.length ?? 0) > pageSize;
  useEffect(() => {
    if (!isLong) void load(undefined);
  }, [forward]);
  return {
    rows: loaded?.rows,
    hasMore: loaded !== undefined && loaded.cursor !== null,
    isLong,
    problem,
    more: () => load(loaded),
    refresh: () => load(undefined),
    /** Takes an event off the list that has left it. */
    drop: (eventId: string): void => {
      // A page that is being read may still have it.
      latest.current++;
      setLoaded(old => old && { ...old, rows: old.rows.filter(one => one.eventId !== eventId) });
    },
  };
}

/** A row that was acted on may leave the list: the focus then goes to the one in its place, or to the heading. */
function useRowFocus(rows: readonly ForwardDelivery[] | undefined) {
  const list = useRef<HTMLUListElement>(null);
  const wanted = useRef<{ eventId: string; at: number; act: string } | undefined>(undefined);
  const focusWanted = (): void => {
    if (!wanted.current || !list.current || document.activeElement !== document.body) return;
    const { eventId, at, act } = wanted.current;
    const lines = [...list.current.querySelectorAll<HTMLElement>('[data-event]')];
    const own = lines.find(one => one.dataset['event'] === eventId);
    // A row that has left the list needs no second attempt, which could take the focus from the next action.
    if (!own) wanted.current = undefined;
    const line = own ?? lines[Math.min(at, lines.length - 1)];
    const target = line?.querySelector<HTMLElement>(`[data-act="${act}"]`) ?? line?.querySelector<HTMLElement>('a');
    (target ?? document.getElementById('forward-events'))?.focus();
  };
  useLayoutEffect(() => {
    focusWanted();
    wanted.current = undefined;
  }, [rows]);
  return {
    list,
    /**
     * @returns to be called when the action has ended. Until then the list may be read again, with the row in it or not,
     *   and the button of a row cannot have the focus.
     */
    from: (eventId: string, act: 'retry' | 'skip'): (() => void) => {
      const at = rows?.findIndex(one => one.eventId === eventId) ?? 0;
      return () => {
        wanted.current = { eventId, at, act };
        requestAnimationFrame(focusWanted);
      };
    },
  };
}

type RowProps = Pick<Props, 'endpointId' | 'forward'> & {
  delivery: ForwardDelivery;
  onRetry: () => unknown;
  onSkip: () => void;
};

function DeliveryRow({ endpointId, forward, delivery, onRetry, onSkip }: RowProps) {
  const { eventId, platform, receivedAt, state, attempts, nextAt } = delivery;
  const name = eventName(delivery);
  const reason = reasonText(delivery);
  const next = nextText(delivery, forward, Date.now());
  return (
    <li data-event={eventId}>
      <PlatformMark platform={platform} />
      <span class="stack">
        {receivedAt === null ? (
          <span class="faint small">The event is no longer stored</span>
        ) : (
          <Link class="cut" to={`/app/endpoints/${endpointId}/events/${eventId}`} title={eventId}>
            {name}
          </Link>
        )}
        <span class="faint small">{receivedAt === null ? <code>{eventId}</code> : <Time at={receivedAt} long />}</span>
      </span>
      <span class="forward-result stack">
        {reason !== '' && <span class="bad">{visibleLine(reason)}</span>}
        <span class="faint small">
          {attempts > 0 && `${formatCount(attempts, 'attempt')}${next === '' ? '' : ', '}`}
          {next !== '' && (
            <span title={nextAt === null ? undefined : formatExactTime(nextAt)}>
              {attempts > 0 ? 'next' : 'first attempt'} {next}
            </span>
          )}
        </span>
      </span>
      <span class="line tight">
        {(state === 'given_up' ? receivedAt !== null : state === 'failed' && nextAt !== null) && (
          <ActionButton kind="quiet" data-act="retry" keepsFocus={false} aria-label={`Retry ${name}`} act={onRetry}>
            Retry
          </ActionButton>
        )}
        <Button
          kind="quiet"
          data-act="skip"
          aria-label={`${state === 'given_up' ? 'Remove' : 'Skip'} ${name}`}
          onClick={onSkip}
        >
          {state === 'given_up' ? 'Remove' : 'Skip'}
        </Button>
      </span>
    </li>
  );
}

const eventName = ({ eventType }: ForwardDelivery): string => visibleLine(eventType ?? 'No event type');
