/* One delivery in full: what it is, whether it is genuine and why, and everything that came with it. */

import { useState } from 'preact/hooks';
import { bytesOf } from '../body/bytes.ts';
import { Method, PlatformMark, VerdictBadge } from '../components/badges.tsx';
import { BodyPanel } from '../components/body-panel.tsx';
import { copyText } from '../components/clipboard.ts';
import { Button, CopyButton, Empty, Skeleton } from '../components/controls.tsx';
import { CopyDialog } from '../components/copy-dialog.tsx';
import { Link } from '../components/navigation.tsx';
import { PairTable } from '../components/pair-table.tsx';
import { lastDestination } from '../components/replay-dialog.tsx';
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
import { describeVerdict } from '../format/verdict.ts';
import { headerText, visibleLine } from '../format/visible.ts';
import type { Endpoint, EventDetail, EventSummary } from '../wire.ts';

const tabs = ['body', 'headers', 'query', 'signature', 'replays'] as const;
type Tab = (typeof tabs)[number];
const maxPathChars = 150;

type EventPaneProps = {
  query: EventQuery;
  summary: EventSummary | undefined;
  compareId: string | undefined;
  listHref: string;
  onReplay: () => void;
};

export function EventPane({ query, summary, compareId, listHref, onReplay }: EventPaneProps) {
  const { endpoints } = useWorkspace();
  const { event, problem, reload } = query;
  const [tab, setTab] = useState<Tab>('body');
  const [copying, setCopying] = useState(false);
  const endpoint = endpoints?.find(one => one.id === event?.endpointId);

  const copyCurl = async (): Promise<void> => {
    if (!event) return;
    const done = await copyText(curlCommand(copyRequestOf(event, endpoint)));
    if (done) showToast('Copied as a curl command.');
    else showError('Your browser did not allow copying. Use “Copy as…” and select the text.');
  };
  useHotkeys({
    c: () => void copyCurl(),
    ...Object.fromEntries(tabs.map((name, index) => [String(index + 1), () => setTab(name)])),
  });

  const shown = event ?? summary;
  if (problem && !event) {
    return (
      <Empty
        title={problem.includes('not found') ? 'This event is gone' : 'The event could not be loaded'}
        action={<Button onClick={reload}>Try again</Button>}
      >
        {problem.includes('not found') ? 'It was deleted with its endpoint, or its retention time is over.' : problem}
      </Empty>
    );
  }
  if (!shown) return <Skeleton rows={6} kind="line" />;
  const verdict = event ? describeVerdict(event) : undefined;
  return (
    <article class="event">
      <header class="event-head">
        <Link to={listHref} class="back-link">
          ← Events
        </Link>
        <div class="event-title">
          <PlatformMark platform={shown.platform} />
          <h2>{shown.eventType === null ? 'No event type' : visibleLine(shown.eventType)}</h2>
          {verdict && (
            <button type="button" class="badge-button" onClick={() => setTab('signature')}>
              <VerdictBadge tone={verdict.tone} label={verdict.label} />
            </button>
          )}
        </div>
        <p class="event-line">
          <Method method={shown.method} />
          <span>{visibleLine(platformTitle(shown.platform))}</span>
          <span title={formatExactTime(shown.receivedAt)}>
            <Time at={shown.receivedAt} long />
          </span>
          <span>{formatBytes(shown.size)}</span>
          {shown.path !== '' && <code class="path">{visibleLine(shortened(shown.path))}</code>}
        </p>
        <div class="event-actions">
          <Button kind="primary" icon="replay" onClick={onReplay} title="Replay (r)">
            Replay
          </Button>
          <Button icon="copy" onClick={() => setCopying(true)} disabled={!event} title="Copy as curl with c">
            Copy as…
          </Button>
          {event && compareId && (
            <Link class="button plain" to={`/app/endpoints/${event.endpointId}/compare?a=${compareId}&b=${event.id}`}>
              Compare
            </Link>
          )}
        </div>
      </header>
      <div class="tabs" role="tablist" aria-label="Parts of the event">
        {tabs.map((name, index) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={tab === name}
            aria-controls="event-panel"
            tabIndex={tab === name ? 0 : -1}
            title={`${tabName(name)} (${index + 1})`}
            onClick={() => setTab(name)}
            onKeyDown={pressed => moveTab(pressed, name, setTab)}
          >
            {tabName(name)}
            {event && <TabCount event={event} tab={name} />}
          </button>
        ))}
      </div>
      <div id="event-panel" class={`event-panel ${tab}`} role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {event ? <Panel key={event.id} event={event} tab={tab} /> : <Skeleton rows={8} kind="line" />}
      </div>
      {copying && event && (
        <CopyDialog
          event={event}
          request={copyRequestOf(event, endpoint)}
          endpointId={event.endpointId}
          onClose={() => setCopying(false)}
        />
      )}
    </article>
  );
}

/** The headers tab has the whole path. */
const shortened = (path: string): string => (path.length > maxPathChars ? `${path.slice(0, maxPathChars)}…` : path);

const tabName = (tab: Tab): string => tab.charAt(0).toUpperCase() + tab.slice(1);

const moveTab = (event: KeyboardEvent, tab: Tab, setTab: (tab: Tab) => void): void => {
  const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length];
  if (by === 0 || !next) return;
  event.preventDefault();
  setTab(next);
  document.getElementById(`tab-${next}`)?.focus();
};

const TabCount = ({ event, tab }: { event: EventDetail; tab: Tab }) => {
  const amount =
    tab === 'headers'
      ? event.rawHeaders.length
      : tab === 'query'
        ? event.params.length
        : tab === 'replays'
          ? event.replays.length
          : 0;
  return amount > 0 ? <span class="count">{amount}</span> : null;
};

/** Where a copied command sends to: the last replay destination, else the endpoint itself. */
const copyRequestOf = (event: EventDetail, endpoint: Endpoint | undefined) => {
  const replayed = lastDestination(event.endpointId);
  const url = replayed ?? withTarget(endpoint?.url ?? 'http://localhost:3000/', event.path, event.query ?? null);
  const { headers } = sendableHeaders(event.rawHeaders);
  return { method: event.method ?? 'POST', url, headers, body: bytesOf(event.payloadRaw, event.payloadEncoding) };
};

function Panel({ event, tab }: { event: EventDetail; tab: Tab }) {
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
  }
}

const QueryPanel = ({ event }: { event: EventDetail }) =>
  event.query === null || event.query === undefined ? (
    <Empty title="No query string">The address was called without “?”.</Empty>
  ) : (
    <div class="scroll-pane">
      {event.params.length > 0 && (
        <PairTable label="Query parameters" rows={event.params.map(([name, value]) => ({ name, value }))} />
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
      label="Facts about the delivery"
      rows={[
        { name: 'Received', value: new Date(event.receivedAt).toISOString(), shown: formatExactTime(event.receivedAt) },
        { name: 'From', value: event.sourceIp ?? 'unknown' },
        { name: 'Size', value: String(event.size), shown: `${event.size.toLocaleString()} bytes` },
        { name: 'SHA-256', value: event.sha256 },
        ...(event.path === '' ? [] : [{ name: 'Path', value: event.path }]),
        { name: 'Event id', value: event.id },
      ]}
    />
  </>
);
