/* What each tab of an open event shows. */

import type { EventDetail } from '../../features/events/model.ts';
import { formatExactTime } from '../format/time.ts';
import { headerText, visibleLine } from '../format/visible.ts';
import { headerField, queryField } from '../search/content-fields.ts';
import { AttemptsPanel } from './attempts-panel.tsx';
import { BodyPanel } from './body-panel.tsx';
import { Empty } from './controls.tsx';
import { CopyButton } from './copy-button.tsx';
import type { Tab } from './event-tabs.tsx';
import { PairTable } from './pair-table.tsx';
import { ReplayHistory } from './replay-history.tsx';
import { SignaturePanel } from './signature-panel.tsx';

type PanelProps = {
  event: EventDetail;
  /** How many attempts its delivery has. */
  attempts: number;
  tab: Tab;
};

export function EventPanel({ event, attempts, tab }: PanelProps) {
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
      return <ReplayHistory event={event} />;
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
