/* The timeline above the list. The range that is dragged over it is the filter's, so the list follows. */

import { useMemo, useRef } from 'preact/hooks';
import { Button, IconButton } from '../../kit/controls.tsx';
import { type AxisChoice, axisOf, axisWords, spanReaching } from '../../kit/timeline/axis.ts';
import { AxisTicks, Bars, LoadingBars } from '../../kit/timeline/chart.tsx';
import { type BucketRange, periodOf } from '../../kit/timeline/range.ts';
import { RangeOverlay } from '../../kit/timeline/range-overlay.tsx';
import { useWorkspace } from '../../kit/workspace.tsx';
import { timePartsOf, withTimeParts } from '../filter/filter-text.ts';
import { TimeMenu } from '../filter/time-menu.tsx';
import { boundsOf } from '../filter/time-range.ts';
import { openJob } from '../replay/job-button.tsx';
import { setInspectorState, useInspectorState } from '../state/inspector-state.ts';
import { NothingHere, RangeCount, Unfinished } from '../timeline/range-count.tsx';
import { type EventTimeline, useEventTimeline } from '../timeline/use-event-timeline.ts';
import { openExport } from './export-dialog.tsx';
import type { FoundWords } from './found-sentence.ts';

/** An hour of minutes, and the current one. */
const mostBuckets = 61;
const defaultSpan = '6h';

type ListTimelineProps = {
  endpointId: string;
  where: string;
  /** What a search has found; undefined without one. */
  found: FoundWords | undefined;
  /** Changes when events came or went; undefined while the list is loaded. */
  news: string | undefined;
  onFilter: (where: string) => void;
};

/** Rendered when something about it changes, not with every row of the list. */
export function ListTimeline({ endpointId, where, found, news, onFilter }: ListTimelineProps) {
  const { endpoints } = useWorkspace();
  const endpoint = endpoints?.find(one => one.id === endpointId);
  const { axis } = useInspectorState();
  const latest = useRef(onFilter);
  latest.current = onFilter;
  return useMemo(
    () =>
      endpoint ? (
        <KnownTimeline
          key={endpointId}
          endpointId={endpointId}
          where={where}
          found={found}
          news={news}
          onFilter={next => latest.current(next)}
          chosenAxis={axis}
          lastReceivedAt={endpoint.lastReceivedAt}
        />
      ) : (
        <div class="list-time">
          <LoadingBars />
        </div>
      ),
    [endpointId, where, found?.amount, found?.words, news, axis.from, axis.to, endpoint === undefined],
  );
}

type KnownTimelineProps = ListTimelineProps & { chosenAxis: AxisChoice; lastReceivedAt: number | null };

function KnownTimeline(props: KnownTimelineProps) {
  const { endpointId, where, found, news, onFilter, chosenAxis, lastReceivedAt } = props;
  const usual = useUsualAxis(where, lastReceivedAt);
  const axis = chosenAxis.from === '' ? usual : chosenAxis;
  const events = useEventTimeline({ endpointId, where, axis, buckets: mostBuckets, news, onFilter });
  const { timeline, timeParts, chosen } = events;
  const setAxis = (next: AxisChoice): void => setInspectorState({ axis: next });
  return (
    <figure class="list-time">
      <figcaption class="line spread">
        <span class="cut" role={found && 'status'}>
          {found && chosen === undefined ? (
            <>
              <strong>{found.amount}</strong> {found.words}
            </>
          ) : timeline ? (
            <RangeCount
              endpointId={endpointId}
              where={where}
              events={events}
              timeline={timeline}
              words={axisWords(axis, timeline.from, Date.now())}
            />
          ) : (
            <span class="soon">Counting…</span>
          )}
        </span>
        <TimeMenu
          axis={axis}
          terms={timeParts}
          onAxis={setAxis}
          onRange={term => onFilter(withTimeParts(where, [term]))}
        />
      </figcaption>
      <Chart events={events} axis={axis} onAxis={setAxis} />
      {chosen !== undefined && <RangeBar endpointId={endpointId} where={where} events={events} onFilter={onFilter} />}
    </figure>
  );
}

/** Six hours, or longer so that the newest event and the filter's range are on it. It stays until the range changes. */
function useUsualAxis(where: string, lastReceivedAt: number | null): AxisChoice {
  const newest = useRef(lastReceivedAt ?? Date.now());
  const from = useMemo(() => {
    const now = Date.now();
    const bounds = boundsOf(timePartsOf(where), now);
    const start = bounds?.from ?? bounds?.to ?? now;
    return spanReaching(Math.min(newest.current, start), now, defaultSpan);
  }, [timePartsOf(where).join(' ')]);
  return useMemo(() => ({ from, to: '' }), [from]);
}

type ChartProps = { events: EventTimeline; axis: AxisChoice; onAxis: (axis: AxisChoice) => void };

function Chart({ events, axis, onAxis }: ChartProps) {
  const { timeline, problem, isOld, reload } = events;
  if (!timeline || (isOld && problem !== ''))
    return problem === '' ? (
      <LoadingBars />
    ) : (
      <p class="row tight bad" role="alert">
        Couldn't count the events. {problem}
        <Button kind="quiet" onClick={reload}>
          Try again
        </Button>
      </p>
    );
  const isOpen = axis.to === '';
  const zoom = (range: BucketRange): void => {
    const { from, to } = periodOf(timeline, range, isOpen);
    onAxis(axisOf(from, to));
  };
  return (
    <>
      <div class={`chart-plot ${isOld ? 'old' : ''}`}>
        <Bars timeline={timeline} />
        <NothingHere events={events} axis={axis} onAxis={onAxis} />
        <RangeOverlay
          label="Time. Arrow keys move, with Shift they choose a range"
          onZoom={zoom}
          {...events.overlay(timeline)}
        />
      </div>
      <AxisTicks timeline={timeline} most={5} isOpen={isOpen} />
      {!isOld && !timeline.complete && <Unfinished events={events} timeline={timeline} />}
    </>
  );
}

type RangeBarProps = Pick<ListTimelineProps, 'endpointId' | 'where' | 'onFilter'> & { events: EventTimeline };

const RangeBar = ({ endpointId, where, events, onFilter }: RangeBarProps) => (
  // biome-ignore lint/a11y/useSemanticElements: it is no part of a form.
  <div class="row tight" role="group" aria-label="The chosen range">
    <strong class="figures">{events.chosen}</strong>
    <IconButton icon="close" label="Clear the range (Esc)" onClick={() => onFilter(events.rest)} />
    <span class="grow" />
    <Button class="small" onClick={() => openJob({ endpointId, where })}>
      Replay these…
    </Button>
    <Button class="small" onClick={() => openExport('Export events', { endpointId, where })}>
      Export these…
    </Button>
  </div>
);
