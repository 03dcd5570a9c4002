/* What happens at an endpoint over time: its events, changes, deliveries and jobs on one axis, and what is frequent. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChangePage } from '../../features/changes/model.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import type { Timeline } from '../../features/timeline/model.ts';
import { useForwards } from '../forwards/use-forwards.ts';
import { withTimeParts } from '../inspector/filter/filter-text.ts';
import { SearchBox } from '../inspector/filter/search-box.tsx';
import { periodTerm } from '../inspector/filter/time-range.ts';
import { useSeen } from '../inspector/filter/use-seen-values.ts';
import { useEventTimeline } from '../inspector/timeline/use-event-timeline.ts';
import { api } from '../kit/api.ts';
import { Button, Notice, Segmented } from '../kit/controls.tsx';
import { Link } from '../kit/navigation.tsx';
import { Page, WithEndpoint } from '../kit/page.tsx';
import { type AxisChoice, axisTimes, spans } from '../kit/timeline/axis.ts';
import { LoadingBars } from '../kit/timeline/chart.tsx';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { type Query, useQuery } from '../kit/use-query.ts';
import { ChangesCard } from './activity/change-marks.tsx';
import { EventAxis } from './activity/event-axis.tsx';
import { ForwardLane } from './activity/forward-lane.tsx';
import { FrequentTypes } from './activity/frequent-types.tsx';
import { JobsUnderWay } from './activity/jobs-under-way.tsx';
import { RetriesSection } from './activity/retries.tsx';
import { type Activity, useActivity } from './activity/use-activity.ts';

const mostBuckets = 200;
const mostChanges = 200;

type ActivityProps = { endpointId: string; query: URLSearchParams };

export const ActivityPage = ({ endpointId, query }: ActivityProps) => (
  <WithEndpoint id={endpointId}>{endpoint => <EndpointActivity endpoint={endpoint} query={query} />}</WithEndpoint>
);

function EndpointActivity({ endpoint, query }: { endpoint: Endpoint; query: URLSearchParams }) {
  const activity = useActivity(endpoint.id, query);
  const { endpointId, where, axis, tick } = activity;
  const [isTable, setIsTable] = useState(false);
  const events = useEventTimeline({
    endpointId,
    where,
    axis,
    buckets: mostBuckets,
    news: `${tick}`,
    onFilter: activity.setWhere,
  });
  const changes = useChanges(activity);
  const { timeline, problem, reload } = events;
  return (
    <Page title="Activity" of={endpoint.name} class="activity">
      <ActivityBar activity={activity} isTable={isTable} onTable={() => setIsTable(!isTable)} />
      <section class="card axis" aria-label="Time axis">
        {timeline && problem !== '' && <Notice tone="warn">Couldn't count the events again. {problem}</Notice>}
        {timeline ? (
          <EventAxis activity={activity} events={events} timeline={timeline} changes={changes.value} isTable={isTable}>
            <Forwards activity={activity} timeline={timeline} />
          </EventAxis>
        ) : problem === '' ? (
          <LoadingBars />
        ) : (
          <Notice tone="bad" title="Couldn't count the events" action={<Button onClick={reload}>Try again</Button>}>
            {problem}
          </Notice>
        )}
        <JobsUnderWay endpointId={endpointId} />
      </section>
      <div class="below">
        <ChangesCard query={changes} />
        <FrequentTypes
          endpointId={endpointId}
          where={events.chosen === undefined ? withAxis(where, axis) : where}
          tick={tick}
        />
        <RetriesSection id={endpointId} />
      </div>
    </Page>
  );
}

function withAxis(where: string, axis: AxisChoice): string {
  const { from, to } = axisTimes(axis, Date.now());
  if (from === undefined) return where;
  // A period that moves stays the same text.
  return withTimeParts(where, [axis.from.endsWith('Z') ? periodTerm({ from, to }) : `received>${axis.from}`]);
}

type BarProps = { activity: Activity; isTable: boolean; onTable: () => void };

function ActivityBar({ activity, isTable, onTable }: BarProps) {
  const { endpointId, where, axis, setWhere, setAxis } = activity;
  const searchRef = useRef<HTMLInputElement>(null);
  useHotkeys({ '/': { label: 'Search and filter', run: () => searchRef.current?.select() } });
  return (
    <div class="activity-bar row">
      <Segmented
        label="Period"
        options={spans.map(({ from, label }) => ({ id: from, label: label.replace(/ (.).*/, ' $1') }))}
        value={axis.from}
        onPick={from => setAxis({ from, to: '' })}
      />
      <div class="activity-filter row grow">
        <SearchBox inputRef={searchRef} where={where} onFilter={setWhere} seen={useSeen(endpointId)} />
      </div>
      <Button kind="quiet" icon="rows" aria-pressed={isTable} onClick={onTable}>
        Show as table
      </Button>
    </div>
  );
}

function Forwards({ activity, timeline }: { activity: Activity; timeline: Timeline }) {
  const { endpointId, tick } = activity;
  const { value: forwards, problem, reload } = useForwards(endpointId);
  if (!forwards && problem !== '')
    return (
      <p class="lane-hint row tight bad">
        Couldn't load the forwards. {problem}
        <Button kind="quiet" onClick={reload}>
          Try again
        </Button>
      </p>
    );
  if (forwards?.length === 0)
    return (
      <p class="lane-hint soft">
        No forwards yet. A forward sends every event on as it arrives, and its deliveries and latency appear here.{' '}
        <Link to={`/app/endpoints/${endpointId}/destinations`}>Add a forward</Link>
      </p>
    );
  return (
    <>
      {(forwards ?? []).map(forward => (
        <ForwardLane key={forward.id} endpointId={endpointId} forward={forward} timeline={timeline} tick={tick} />
      ))}
    </>
  );
}

function useChanges({ endpointId, axis, tick }: Activity): Query<ChangePage> {
  const query = useQuery(`${endpointId} ${axis.from} ${axis.to}`, () =>
    api.changes(endpointId, { ...axisTimes(axis, Date.now()), limit: mostChanges }),
  );
  useEffect(() => {
    if (tick > 0) query.reload();
  }, [tick]);
  return query;
}
