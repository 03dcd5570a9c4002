/* The time axis of the page: the events, the changes, and a lane for each forward, under one range. */

import type { ComponentChildren } from 'preact';
import type { ChangePage } from '../../../features/changes/model.ts';
import type { Timeline } from '../../../features/timeline/model.ts';
import { filterQuery } from '../../inspector/filter/filter-url.ts';
import { openExport } from '../../inspector/list/export-dialog.tsx';
import { openJob } from '../../inspector/replay/job-button.tsx';
import { NothingHere, RangeCount, Unfinished } from '../../inspector/timeline/range-count.tsx';
import type { EventTimeline } from '../../inspector/timeline/use-event-timeline.ts';
import { Button, IconButton } from '../../kit/controls.tsx';
import { navigate } from '../../kit/navigation.tsx';
import { axisOf, axisWords } from '../../kit/timeline/axis.ts';
import { BucketTable } from '../../kit/timeline/bucket-table.tsx';
import { AxisTicks, Bars, mostOf } from '../../kit/timeline/chart.tsx';
import { type BucketRange, periodOf, sumOf } from '../../kit/timeline/range.ts';
import { RangeOverlay } from '../../kit/timeline/range-overlay.tsx';
import { gridlines } from '../../kit/timeline/scale.ts';
import { barLength, countRows, seriesClasses } from '../../kit/timeline/words.ts';
import { ChangeMarks } from './change-marks.tsx';
import { Lane } from './lane.tsx';
import type { Activity } from './use-activity.ts';

type EventAxisProps = {
  activity: Activity;
  events: EventTimeline;
  timeline: Timeline;
  changes: ChangePage | undefined;
  isTable: boolean;
  children: ComponentChildren;
};

export function EventAxis({ activity, events, timeline, changes, isTable, children }: EventAxisProps) {
  const { axis, setAxis } = activity;
  const isOpen = axis.to === '';
  const most = mostOf(timeline);
  const zoom = (range: BucketRange): void => {
    const { from, to } = periodOf(timeline, range, isOpen);
    setAxis(axisOf(from, to));
  };
  return (
    <>
      <AxisHead activity={activity} events={events} timeline={timeline} onZoom={zoom} />
      {!events.isOld && !timeline.complete && <Unfinished events={events} timeline={timeline} />}
      {isTable ? (
        <BucketTable timeline={timeline} isOpen={isOpen} label="Events over time" />
      ) : (
        <div class="axis-rows">
          <Lane class="main" label={<Legend timeline={timeline} />} figures={null}>
            <div class={`chart-plot ${events.isOld ? 'old' : ''}`}>
              <Bars timeline={timeline}>
                {gridlines(most).map(count => (
                  <div key={count} class="chart-gridline" style={{ bottom: `${(count / most) * 100}%` }}>
                    <span>{count.toLocaleString()}</span>
                  </div>
                ))}
              </Bars>
              <NothingHere events={events} axis={axis} onAxis={setAxis} />
            </div>
          </Lane>
          <ChangeMarks timeline={timeline} changes={changes} />
          {children}
          <Lane class="ticks" label={null} figures={null}>
            <AxisTicks timeline={timeline} most={8} isOpen={isOpen} />
          </Lane>
          <RangeOverlay
            label="Time. Arrow keys move, with Shift they choose a range"
            onZoom={zoom}
            onEnter={range => showEvents(activity, events, timeline, range)}
            {...events.overlay(timeline)}
          />
        </div>
      )}
    </>
  );
}

const Legend = ({ timeline }: { timeline: Timeline }) => (
  <ul class="legend">
    {countRows(sumOf(timeline.buckets)).map(([label, count], series) => (
      <li key={label} class="line">
        <svg viewBox="0 0 1 1" aria-hidden="true">
          <path class={seriesClasses[series]} d="M0 0h1v1h-1z" />
        </svg>
        {label}
        <strong class="figures">{count.toLocaleString()}</strong>
      </li>
    ))}
  </ul>
);

/** The list with the range, or with the bar of the cursor. */
function showEvents(activity: Activity, events: EventTimeline, timeline: Timeline, range?: BucketRange): void {
  const isChosen = events.chosen !== undefined || range === undefined;
  const where = isChosen ? activity.where : events.whereOf(periodOf(timeline, range, activity.axis.to === ''));
  navigate(`/app/endpoints/${activity.endpointId}${filterQuery(where)}`);
}

type AxisHeadProps = Pick<EventAxisProps, 'activity' | 'events' | 'timeline'> & {
  onZoom: (range: BucketRange) => void;
};

function AxisHead({ activity, events, timeline, onZoom }: AxisHeadProps) {
  const { endpointId, where, axis } = activity;
  const { inside, chosen } = events;
  return (
    <div class="axis-head row">
      <p class="soft">
        <RangeCount
          endpointId={endpointId}
          where={where}
          events={events}
          timeline={timeline}
          words={axisWords(axis, timeline.from, Date.now())}
        />
        . {chosen === undefined && <span class="faint">Each bar is {barLength(timeline)}.</span>}
      </p>
      {chosen !== undefined && (
        // biome-ignore lint/a11y/useSemanticElements: it is no part of a form.
        <div class="row tight grow end" role="group" aria-label="The chosen range">
          <strong class="figures grow">{chosen}</strong>
          <Button class="small" kind="primary" icon="list" onClick={() => showEvents(activity, events, timeline)}>
            Show events
          </Button>
          <Button class="small" icon="replay" onClick={() => openJob({ endpointId, where })}>
            Replay these…
          </Button>
          <Button class="small" icon="download" onClick={() => openExport('Export events', { endpointId, where })}>
            Export these…
          </Button>
          {inside && (
            <Button class="small" kind="quiet" icon="search" onClick={() => onZoom(inside)}>
              Zoom in
            </Button>
          )}
          <IconButton icon="close" label="Clear the range (Esc)" onClick={() => activity.setWhere(events.rest)} />
        </div>
      )}
    </div>
  );
}
