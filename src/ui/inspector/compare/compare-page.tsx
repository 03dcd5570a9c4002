/* Compares two events: body, headers and query. JSON bodies are compared by path, other text by line. */

import { useMemo } from 'preact/hooks';
import type { EventDetail, EventSummary } from '../../../features/events/model.ts';
import { diffPairs, type PairChange } from '../../../shared/diff/text-diff.ts';
import { api } from '../../kit/api.ts';
import { Button, Empty, Notice } from '../../kit/controls.tsx';
import { formatExactTime } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { navigate } from '../../kit/navigation.tsx';
import { Card, Loaded, Page } from '../../kit/page.tsx';
import { useQuery } from '../../kit/use-query.ts';
import { bytesOf } from '../body/bytes.ts';
import { isJsonDocument, parseJson, prettyJson } from '../body/json.ts';
import { parseBody } from '../body/views.ts';
import { ChangeTable, LineDifferences } from './differences.tsx';
import { type Change, diffJson } from './json-diff.ts';

const maxIndentedChars = 100_000;

export function ComparePage({ endpointId, left, right }: { endpointId: string; left: string; right: string }) {
  const events = useQuery(`${left} ${right}`, () => Promise.all([api.event(left), api.event(right)]));
  const recent = useQuery(endpointId, () => api.events(endpointId, undefined, '').then(page => page.events));
  const base = `/app/endpoints/${endpointId}`;
  const compare = (a: string, b: string): void => navigate(`${base}/compare?a=${a}&b=${b}`, { replace: true });
  const [one, other] = events.value ?? [];
  return (
    <Page
      class="compare"
      title="Compare"
      back={{ to: `${base}/events/${right}`, label: 'Event' }}
      actions={<Button onClick={() => compare(right, left)}>Swap sides</Button>}
    >
      <div class="two">
        <Side label="Before" id={left} event={one} recent={recent.value} onPick={id => compare(id, right)} />
        <Side label="After" id={right} event={other} recent={recent.value} onPick={id => compare(left, id)} />
      </div>
      <Loaded query={events} what="the events" rows={6} inCard>
        {([one, other]) => <Differences one={one} other={other} />}
      </Loaded>
    </Page>
  );
}

type SideProps = {
  label: string;
  id: string;
  event: EventDetail | undefined;
  recent: EventSummary[] | undefined;
  onPick: (id: string) => void;
};

const optionText = (event: Pick<EventSummary, 'eventType' | 'method' | 'receivedAt'>): string =>
  `${formatExactTime(event.receivedAt)} · ${visibleLine((event.eventType ?? event.method ?? 'event').slice(0, 60))}`;

const Side = ({ label, id, event, recent = [], onPick }: SideProps) => (
  <label class="field col tight">
    <strong>{label}</strong>
    <select value={id} onChange={changed => onPick(changed.currentTarget.value)}>
      {!recent.some(one => one.id === id) && <option value={id}>{event ? optionText(event) : '…'}</option>}
      {recent.map(one => (
        <option key={one.id} value={one.id}>
          {optionText(one)}
        </option>
      ))}
    </select>
  </label>
);

const bodyOf = (event: EventDetail) => {
  const type = event.rawHeaders.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return parseBody(bytesOf(event.payloadRaw, event.payloadEncoding), type);
};

function Differences({ one, other }: { one: EventDetail; other: EventDetail }) {
  const headers = useMemo(() => diffPairs(one.rawHeaders, other.rawHeaders), [one, other]);
  const query = useMemo(() => diffPairs(one.params, other.params), [one, other]);
  return (
    <>
      <Card title="Body">
        <BodyDifferences one={one} other={other} />
      </Card>
      <Card title="Headers">
        <ChangeTable changes={headers.map(fromPair)} same="The headers are the same." />
      </Card>
      {(query.length > 0 || one.params.length > 0) && (
        <Card title="Query">
          <ChangeTable changes={query.map(fromPair)} same="The query is the same." />
        </Card>
      )}
    </>
  );
}

const fromPair = (change: PairChange): Change => ({
  kind: change.kind,
  path: change.name,
  before: change.before,
  after: change.after,
});

function BodyDifferences({ one, other }: { one: EventDetail; other: EventDetail }) {
  const [mine, theirs] = useMemo(() => [bodyOf(one), bodyOf(other)], [one, other]);
  const changes = useMemo(
    () => (mine.json && theirs.json ? diffJson(mine.json, theirs.json).map(indented) : undefined),
    [mine, theirs],
  );
  if (one.sha256 === other.sha256) return <Empty title="Identical">The bodies are identical, byte for byte.</Empty>;
  if (changes) {
    return <ChangeTable changes={changes} same="The values are equal; only whitespace or key order differs." />;
  }
  if (mine.text === undefined || theirs.text === undefined) {
    return (
      <Notice tone="info">The bodies differ. At least one of them is binary, so they can't be compared as text.</Notice>
    );
  }
  return <LineDifferences left={mine.text} right={theirs.text} />;
}

/** Indents objects and arrays that were added or removed as a whole. */
const indented = (change: Change): Change => ({
  ...change,
  before: indentedValue(change.before),
  after: indentedValue(change.after),
});

const indentedValue = (text: string | undefined): string | undefined => {
  if (text === undefined || !/^[[{]/.test(text) || text.length > maxIndentedChars) return text;
  const parsed = parseJson(text);
  return isJsonDocument(parsed) ? prettyJson(parsed) : text;
};
