/* Compares two events: a line about both, then body, headers and query. JSON bodies are compared by value, other text by line. */

import { useMemo, useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import { Button, Checkbox, Empty } from '../../kit/controls.tsx';
import { formatExactTime } from '../../kit/format/time.ts';
import { headerText, visibleLine } from '../../kit/format/visible.ts';
import { currentLocation, navigate } from '../../kit/navigation.tsx';
import { Card, Loaded, Page } from '../../kit/page.tsx';
import { createSwitch } from '../../kit/preferences.ts';
import { type Query, useQuery } from '../../kit/use-query.ts';
import { parseBodyOf } from '../body/views.ts';
import { isDifference, pairRows } from './diff-rows.ts';
import { BodyDifferences, bodyRows, DifferenceTable } from './differences.tsx';
import { EventPicker } from './event-picker.tsx';
import { verdictLine } from './verdict-line.ts';

const hidesIdsAndTimes = createSwitch('compare.hides-ids-and-times');

type ComparePageProps = {
  endpointId: string;
  /** The ids of the events; empty as long as one is not chosen. */
  left: string;
  right: string;
};

export function ComparePage({ endpointId, left, right }: ComparePageProps) {
  const before = useQuery(left, () => loadEvent(left));
  const after = useQuery(right, () => loadEvent(right));
  const query = currentLocation().query;
  const compare = (a: string, b: string): void => {
    query.set('a', a);
    query.set('b', b);
    navigate(`/app/endpoints/${endpointId}/compare?${query}`, { replace: true });
  };
  const rest = new URLSearchParams([...query].filter(([name]) => name !== 'a' && name !== 'b'));
  const opened = right || left;
  return (
    <Page
      class="compare"
      title="Compare"
      back={{ to: `/app/endpoints/${endpointId}/events/${opened}${rest.size > 0 ? `?${rest}` : ''}`, label: 'Event' }}
      actions={
        <Button disabled={left === '' || right === ''} onClick={() => compare(right, left)}>
          Swap sides
        </Button>
      }
    >
      <div class="two">
        <Side
          label="Before"
          id={left}
          query={before}
          {...{ endpointId, otherId: right, other: after.value }}
          onPick={id => compare(id, right)}
        />
        <Side
          label="After"
          id={right}
          query={after}
          {...{ endpointId, otherId: left, other: before.value }}
          onPick={id => compare(left, id)}
        />
      </div>
      {before.value && after.value && <Comparison one={before.value} other={after.value} />}
    </Page>
  );
}

const loadEvent = async (id: string): Promise<EventDetail | undefined> => (id === '' ? undefined : api.event(id));

type SideProps = {
  label: string;
  id: string;
  query: Query<EventDetail | undefined>;
  endpointId: string;
  otherId: string;
  other: EventDetail | undefined;
  onPick: (id: string) => void;
};

function Side({ label, id, query, endpointId, otherId, other, onPick }: SideProps) {
  const [isPicking, setIsPicking] = useState(id === '');
  const event = query.value;
  return (
    <div class="field col tight">
      <strong>{label}</strong>
      <button
        type="button"
        class="button plain compare-side"
        aria-haspopup="dialog"
        title="Choose another event"
        onClick={() => setIsPicking(true)}
      >
        <span class="offscreen">{label}, choose another event: </span>
        <span class="stack">
          {event ? (
            <>
              <span>{visibleLine((event.eventType ?? event.method ?? 'event').slice(0, 60))}</span>
              <span class="faint small">{formatExactTime(event.receivedAt)}</span>
            </>
          ) : (
            <span class="soft">{id === '' ? 'Choose an event…' : query.problem ? 'Choose another event…' : '…'}</span>
          )}
        </span>
      </button>
      {query.problem && !event && (
        <Loaded query={query} what="the event" inCard>
          {() => null}
        </Loaded>
      )}
      {isPicking && (
        <EventPicker
          title={`${label}: choose an event`}
          endpointId={endpointId}
          otherId={otherId}
          other={other}
          onPick={onPick}
          onClose={() => setIsPicking(false)}
        />
      )}
    </div>
  );
}

function Comparison({ one, other }: { one: EventDetail; other: EventDetail }) {
  const [left, right] = useMemo(() => [parseBodyOf(one), parseBodyOf(other)], [one, other]);
  const body = useMemo(() => (one.sha256 === other.sha256 ? [] : bodyRows(left, right)), [left, right]);
  const headers = useMemo(() => pairRows(readable(one.rawHeaders), readable(other.rawHeaders)), [one, other]);
  const request = useMemo(() => pairRows(requestOf(one), requestOf(other)), [one, other]);
  const isOn = hidesIdsAndTimes.useValue();
  const all = [...(body ?? []), ...headers, ...request];
  const hiddenCount = all.filter(row => row.isIdOrTime).length;
  return (
    <>
      <ul class="compare-verdict row" aria-label="At a glance">
        {verdictLine(one, other).map(({ text, isDifferent, tone }) => (
          <li key={text} class={tone ?? (isDifferent ? '' : 'soft')}>
            {isDifferent ? <strong>{text}</strong> : text}
          </li>
        ))}
      </ul>
      {hiddenCount > 0 && (
        <Checkbox
          label="Hide ids and times"
          hint={`${hiddenCount.toLocaleString()} of ${all.filter(isDifference).length.toLocaleString()} differing values ${isOn ? 'are hidden' : 'look like ids, times or signatures'}.`}
          checked={isOn}
          onChange={hidesIdsAndTimes.toggle}
        />
      )}
      <Card title="Body">
        {one.sha256 === other.sha256 ? (
          <Empty title="Identical">The bodies are identical, byte for byte.</Empty>
        ) : (
          <BodyDifferences left={left} right={right} rows={body} hidesIdsAndTimes={isOn} />
        )}
      </Card>
      <Card title="Headers">
        <DifferenceTable rows={headers} same="The headers are the same." hidesIdsAndTimes={isOn} />
      </Card>
      {(request.some(isDifference) || request.length > 2) && (
        <Card title="Method, path and query">
          <DifferenceTable rows={request} same="Method, path and query are the same." hidesIdsAndTimes={isOn} />
        </Card>
      )}
    </>
  );
}

type Pairs = readonly (readonly [string, string])[];

const readable = (headers: Pairs): Pairs => headers.map(([name, value]) => [name, headerText(value)]);
const requestOf = ({ method, path, params }: EventDetail): Pairs => [
  ['Method', method ?? ''],
  ['Path', path],
  ...params,
];
