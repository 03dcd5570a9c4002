/* One event in full: summary, signature verdict, and tabs for body, headers, query, signature, replays and attempts. */

import { useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import type { EventDetail, EventSummary } from '../../features/events/model.ts';
import { bytesOf } from '../body/bytes.ts';
import { AttemptsPanel } from '../components/attempts-panel.tsx';
import { Method, PlatformMark, VerdictBadge } from '../components/badges.tsx';
import { BodyPanel } from '../components/body-panel.tsx';
import { copyText } from '../components/clipboard.ts';
import { Button, Empty, Skeleton } from '../components/controls.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { CopyDialog } from '../components/copy-dialog.tsx';
import { DeleteEvent } from '../components/delete-event.tsx';
import { EventMarks } from '../components/event-marks.tsx';
import { Link } from '../components/navigation.tsx';
import { PairTable } from '../components/pair-table.tsx';
import { lastDestination } from '../components/replay-destinations.ts';
import { ReplayHistory } from '../components/replay-history.tsx';
import { SignaturePanel } from '../components/signature-panel.tsx';
import { Time } from '../components/time.tsx';
import { showError, showToast } from '../components/toasts.tsx';
import type { EventQuery } from '../components/use-event.ts';
import { useHotkeys } from '../components/use-hotkeys.ts';
import { useWorkspace } from '../components/workspace.tsx';
import { curlCommand } from '../copy/curl.ts';
import { sendableHeaders, withTarget } from '../copy/request.ts';
import { platformTitle } from '../format/platforms.ts';
import { formatBytes, formatExactTime } from '../format/time.ts';
import { describeVerdict, type Verdict } from '../format/verdict.ts';
import { headerText, visibleLine } from '../format/visible.ts';
import { headerField, queryField } from '../search/content-fields.ts';
import { FilterBy } from '../search/filter-by.tsx';

const tabs = ['body', 'headers', 'query', 'signature', 'replays', 'attempts'] as const;
type Tab = (typeof tabs)[number];
const maxPathChars = 150;

type EventPaneProps = {
  query: EventQuery;
  summary: EventSummary | undefined;
  /** The row of the event's delivery in the list, which may know of newer attempts. */
  row: EventSummary | undefined;
  compareId: string | undefined;
  listHref: string;
  onReplay: () => void;
  /** The event has another pin or other tags. */
  onMarked: (event: Pick<EventSummary, 'id' | 'pin' | 'tags'>) => void;
  onDeleted: (id: string) => void;
};

export function EventPane(props: EventPaneProps) {
  const { query, summary, row, compareId, listHref, onReplay, onMarked, onDeleted } = props;
  const { endpoints } = useWorkspace();
  const { event, problem, reload } = query;
  const [tab, setTab] = useState<Tab>('body');
  const [isCopying, setIsCopying] = useState(false);
  const endpoint = endpoints?.find(one => one.id === event?.endpointId);

  const copyCurl = async (): Promise<void> => {
    if (!event) return;
    const isCopied = await copyText(curlCommand(copyRequestOf(event, endpoint)));
    if (isCopied) showToast('Copied as a curl command.');
    else showError('The browser did not allow copying. Use “Copy as…” and select the text.');
  };
  useHotkeys({
    c: () => void copyCurl(),
    ...Object.fromEntries(tabs.map((name, index) => [String(index + 1), () => setTab(name)])),
  });

  const shown = event ?? summary;
  const known = event?.delivery.key === row?.delivery.key ? row?.delivery.attempts : undefined;
  const attempts = Math.max(event?.delivery.attempts ?? 1, known ?? 1);
  if (problem && !event) return <LoadFailure problem={problem} onRetry={reload} />;
  if (!shown) return <Skeleton rows={6} kind="line" />;
  return (
    <article class="event">
      <header class="event-head">
        <Link to={listHref} class="back-link">
          ← Events
        </Link>
        <Summary event={shown} verdict={event && describeVerdict(event)} onVerdict={() => setTab('signature')} />
        <div class="event-actions">
          <Button kind="primary" icon="replay" onClick={onReplay} title="Replay (r)">
            Replay
          </Button>
          <Button icon="copy" onClick={() => setIsCopying(true)} disabled={!event} title="Press c to copy as curl">
            Copy as…
          </Button>
          {event && compareId && (
            <Link class="button plain" to={`/app/endpoints/${event.endpointId}/compare?a=${compareId}&b=${event.id}`}>
              Compare
            </Link>
          )}
          <DeleteEvent event={shown} onDeleted={onDeleted} />
        </div>
        <EventMarks event={shown} onChanged={onMarked} />
      </header>
      <Tabs selected={tab} event={event} attempts={attempts} onSelect={setTab} />
      <div id="event-panel" class={`event-panel ${tab}`} role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {event ? (
          <Panel key={event.id} event={event} attempts={attempts} tab={tab} />
        ) : (
          <Skeleton rows={8} kind="line" />
        )}
      </div>
      {isCopying && event && (
        <CopyDialog event={event} request={copyRequestOf(event, endpoint)} onClose={() => setIsCopying(false)} />
      )}
    </article>
  );
}

const LoadFailure = ({ problem, onRetry }: { problem: string; onRetry: () => void }) => {
  const isNotFound = problem.includes('not found');
  return (
    <Empty
      title={isNotFound ? 'Event not found' : 'The event could not be loaded'}
      action={<Button onClick={onRetry}>Try again</Button>}
    >
      {isNotFound ? 'It or its endpoint was deleted, or its retention period is over.' : problem}
    </Empty>
  );
};

type SummaryProps = {
  event: EventDetail | EventSummary;
  /** Undefined until the event is loaded in full. */
  verdict: Verdict | undefined;
  onVerdict: () => void;
};

const Summary = ({ event, verdict, onVerdict }: SummaryProps) => (
  <>
    <div class="event-title">
      <PlatformMark platform={event.platform} />
      <h2>{event.eventType === null ? 'No event type' : visibleLine(event.eventType)}</h2>
      {event.eventType !== null && <FilterBy field="type" value={event.eventType} />}
      {verdict && (
        <button type="button" class="badge-button" onClick={onVerdict}>
          <VerdictBadge tone={verdict.tone} label={verdict.label} />
        </button>
      )}
    </div>
    <p class="event-line">
      <Method method={event.method} />
      <span>
        {visibleLine(platformTitle(event.platform))}
        {event.platform !== null && <FilterBy field="platform" value={event.platform} />}
      </span>
      <span title={formatExactTime(event.receivedAt)}>
        <Time at={event.receivedAt} long />
      </span>
      <span>{formatBytes(event.size)}</span>
      {event.path !== '' && <code class="path">{visibleLine(shortenPath(event.path))}</code>}
    </p>
  </>
);

type TabsProps = { selected: Tab; event: EventDetail | undefined; attempts: number; onSelect: (tab: Tab) => void };

const Tabs = ({ selected, event, attempts, onSelect }: TabsProps) => (
  <div class="tabs" role="tablist" aria-label="Parts of the event">
    {tabs.map((name, index) => (
      <button
        key={name}
        id={`tab-${name}`}
        type="button"
        role="tab"
        aria-selected={selected === name}
        aria-controls="event-panel"
        tabIndex={selected === name ? 0 : -1}
        title={`${tabLabel(name)} (${index + 1})`}
        onClick={() => onSelect(name)}
        onKeyDown={pressed => moveTab(pressed, name, onSelect)}
      >
        {tabLabel(name)}
        {event && <TabCount event={event} attempts={attempts} tab={name} />}
      </button>
    ))}
  </div>
);

/** The headers tab shows the full path. */
const shortenPath = (path: string): string => (path.length > maxPathChars ? `${path.slice(0, maxPathChars)}…` : path);

const tabLabel = (tab: Tab): string => tab.charAt(0).toUpperCase() + tab.slice(1);

const moveTab = (event: KeyboardEvent, tab: Tab, setTab: (tab: Tab) => void): void => {
  const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length];
  if (by === 0 || !next) return;
  event.preventDefault();
  setTab(next);
  document.getElementById(`tab-${next}`)?.focus();
};

type PartProps = {
  event: EventDetail;
  /** How many attempts its delivery has. */
  attempts: number;
  tab: Tab;
};

const TabCount = ({ event, attempts, tab }: PartProps) => {
  const amounts: Partial<Record<Tab, number>> = {
    headers: event.rawHeaders.length,
    query: event.params.length,
    replays: event.replays.length,
    attempts: attempts > 1 ? attempts : 0,
  };
  const amount = amounts[tab] ?? 0;
  return amount > 0 ? <span class="count">{amount}</span> : null;
};

/** A copied command sends to the last replay destination, or to the endpoint if there is none. */
const copyRequestOf = (event: EventDetail, endpoint: Endpoint | undefined) => {
  const replayed = lastDestination(event.endpointId);
  const url = replayed ?? withTarget(endpoint?.url ?? 'http://localhost:3000/', event.path, event.query ?? null);
  const { headers } = sendableHeaders(event.rawHeaders);
  return { method: event.method ?? 'POST', url, headers, body: bytesOf(event.payloadRaw, event.payloadEncoding) };
};

function Panel({ event, attempts, tab }: PartProps) {
  switch (tab) {
    case 'body':
      return <BodyPanel event={event} />;
    case 'headers':
      return (
        <div class="scroll-pane">
          <PairTable
            label="Headers in the order they were sent"
            rows={event.rawHeaders.map(([name, value]) => ({
              name,
              value: headerText(value),
              field: headerField(name),
              ...(value === '[redacted]' ? { note: 'Credentials are never stored.' } : {}),
            }))}
          />
          <Facts event={event} />
        </div>
      );
    case 'query':
      return <QueryPanel event={event} />;
    case 'signature':
      return <SignaturePanel event={event} />;
    case 'replays':
      return <ReplayHistory replays={event.replays} />;
    case 'attempts':
      return <AttemptsPanel event={event} attempts={attempts} />;
  }
}

const QueryPanel = ({ event }: { event: EventDetail }) =>
  event.query === null || event.query === undefined ? (
    <Empty title="No query string">The request URL has no “?”.</Empty>
  ) : (
    <div class="scroll-pane">
      {event.params.length > 0 && (
        <PairTable
          label="Query parameters"
          rows={event.params.map(([name, value]) => ({ name, value, field: queryField(name) }))}
        />
      )}
      <h3 class="panel-title">As sent</h3>
      <div class="raw-line">
        <code>?{visibleLine(event.query)}</code>
        <CopyButton text={event.query} what="query" />
      </div>
    </div>
  );

const Facts = ({ event }: { event: EventDetail }) => (
  <>
    <h3 class="panel-title">Delivery</h3>
    <PairTable
      label="Delivery details"
      rows={[
        { name: 'Received', value: new Date(event.receivedAt).toISOString(), shown: formatExactTime(event.receivedAt) },
        { name: 'From', value: event.sourceIp ?? 'unknown', field: 'ip' },
        { name: 'Size', value: String(event.size), shown: `${event.size.toLocaleString()} bytes` },
        { name: 'SHA-256', value: event.sha256 },
        ...(event.path === '' ? [] : [{ name: 'Path', value: event.path, field: 'path' }]),
        { name: 'Event id', value: event.id },
      ]}
    />
  </>
);
