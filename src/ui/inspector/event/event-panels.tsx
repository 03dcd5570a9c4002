/* What each tab of an open event shows. */

import { useMemo } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import { headerField, queryField } from '../../../shared/filter/field-names.ts';
import { Skeleton } from '../../kit/controls.tsx';
import { formatExactTime } from '../../kit/format/time.ts';
import { headerText } from '../../kit/format/visible.ts';
import { onDemand } from '../../kit/on-demand.tsx';
import { BodyPanel } from '../body/body-panel.tsx';
import { type PairRow, PairTable } from '../body/pair-table.tsx';
import { Findable } from '../find-in-body/find-bar.tsx';
import type { Tab } from '../state/inspector-url.ts';
import { RedactedContext } from './redacted.tsx';

const AttemptsPanel = onDemand(() => import('./attempts-panel.tsx').then(panel => panel.AttemptsPanel));
const ReplayHistory = onDemand(() => import('../replay/replay-history.tsx').then(panel => panel.ReplayHistory));
const ForwardsPanel = onDemand(() => import('./forwards-panel.tsx').then(panel => panel.ForwardsPanel));
const SignaturePanel = onDemand(() => import('../signature/signature-panel.tsx').then(panel => panel.SignaturePanel));

type PanelProps = {
  event: EventDetail;
  attempts: number;
  tab: Tab;
};

/** The tabs that show captured content, which can be searched. */
const searchedTabs: readonly Tab[] = ['body', 'headers', 'query'];

/** The find bar is there while the event is loading, so that a quick `f` and what is typed next are not lost. */
export const EventPanel = ({ event, ...props }: Omit<PanelProps, 'event'> & { event: EventDetail | undefined }) => (
  <Findable canFind={searchedTabs.includes(props.tab)} isLoading={event === undefined}>
    {event ? (
      <RedactedContext.Provider value={event.redacted}>
        <Panel event={event} {...props} />
      </RedactedContext.Provider>
    ) : (
      <Skeleton rows={8} kind="line" />
    )}
  </Findable>
);

function Panel({ event, attempts, tab }: PanelProps) {
  switch (tab) {
    case 'body':
      return <BodyPanel event={event} />;
    case 'headers':
      return <HeadersPanel event={event} />;
    case 'query':
      return <QueryPanel event={event} />;
    case 'signature':
      return <SignaturePanel event={event} />;
    case 'replays':
      return (
        <div class="scroll-pane col loose">
          <ReplayHistory event={event} />
        </div>
      );
    case 'attempts':
      return <AttemptsPanel event={event} attempts={attempts} />;
    case 'forwards':
      return <ForwardsPanel event={event} />;
  }
}

function HeadersPanel({ event }: { event: EventDetail }) {
  const headers = useMemo(
    () =>
      event.rawHeaders.map(([name, value]) => ({
        name,
        value: headerText(value),
        field: headerField(name),
        ...(value === '[redacted]' ? { note: 'Credentials are never stored.' } : {}),
      })),
    [event],
  );
  const facts = useMemo(() => factsOf(event), [event]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
    <section class="scroll-pane col loose" tabIndex={0} aria-label="Headers">
      <PairTable label="Headers in the order they were sent" rows={headers} />
      <h3 class="panel-title">Delivery</h3>
      <PairTable label="Delivery details" rows={facts} order={1} />
    </section>
  );
}

function QueryPanel({ event }: { event: EventDetail }) {
  const { query } = event;
  const parameters = useMemo(
    () => event.params.map(([name, value]) => ({ name, value, field: queryField(name) })),
    [event],
  );
  const raw = useMemo(() => [{ name: 'Query', value: query ?? '', shown: `?${query ?? ''}` }], [query]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
    <section class="scroll-pane col loose" tabIndex={0} aria-label="Query">
      {parameters.length > 0 && <PairTable label="Query parameters" rows={parameters} />}
      <h3 class="panel-title">As sent</h3>
      <PairTable label="Query as sent" rows={raw} order={1} />
    </section>
  );
}

const factsOf = (event: EventDetail): PairRow[] => [
  { name: 'Received', value: new Date(event.receivedAt).toISOString(), shown: formatExactTime(event.receivedAt) },
  { name: 'From', value: event.sourceIp ?? 'unknown', field: 'ip' },
  { name: 'Size', value: String(event.size), shown: `${event.size.toLocaleString()} bytes` },
  { name: 'SHA-256', value: event.sha256 },
  ...(event.path === '' ? [] : [{ name: 'Path', value: event.path, field: 'path' }]),
  { name: 'Event id', value: event.id },
];
