/* A forward on the time axis: its deliveries and failed attempts, their latency, and what it has sent. */

import { useEffect, useMemo } from 'preact/hooks';
import type { Forward, ForwardStats } from '../../../features/forwards/model.ts';
import type { Timeline } from '../../../features/timeline/model.ts';
import { forwardPath, forwardsApi } from '../../forwards/forwards-api.ts';
import { openOf } from '../../forwards/wording.ts';
import { Button } from '../../kit/controls.tsx';
import { formatCount, formatDuration, formatInstant } from '../../kit/format/time.ts';
import { visibleLine, visibleName } from '../../kit/format/visible.ts';
import { Link } from '../../kit/navigation.tsx';
import { Drawing } from '../../kit/timeline/chart.tsx';
import { linePath, stackPaths } from '../../kit/timeline/scale.ts';
import { useQuery } from '../../kit/use-query.ts';
import { Lane } from './lane.tsx';

const keptMs = 30 * 86_400_000;

type ForwardLaneProps = { endpointId: string; forward: Forward; timeline: Timeline; tick: number };

export function ForwardLane({ endpointId, forward, timeline, tick }: ForwardLaneProps) {
  const { from, to, bucketMs, buckets } = timeline;
  const start = buckets[0]?.at ?? from;
  const stats = useQuery(`${forward.id} ${start} ${bucketMs} ${buckets.length}`, () =>
    forwardsApi.stats(endpointId, forward.id, { from, to, buckets: buckets.length }),
  );
  const { value, problem, reload } = stats;
  useEffect(() => {
    if (tick > 0) reload();
  }, [tick]);
  return (
    <Lane
      class="forward"
      label={<Name endpointId={endpointId} forward={forward} />}
      figures={value && <Figures {...{ forward, stats: value, isOlder: from < Date.now() - keptMs }} />}
    >
      {value ? (
        <Plots forward={forward} stats={value} timeline={timeline} />
      ) : (
        problem !== '' && (
          <p class="row tight bad">
            Couldn't load its deliveries. {problem}
            <Button kind="quiet" onClick={reload}>
              Try again
            </Button>
          </p>
        )
      )}
    </Lane>
  );
}

function Name({ endpointId, forward }: { endpointId: string; forward: Forward }) {
  const { id, name, url, state, failingSince } = forward;
  const host = URL.canParse(url) ? new URL(url).host : url;
  return (
    <>
      <Link to={forwardPath(endpointId, id)} class="cut">
        {visibleName(name)}
      </Link>
      {state === 'probing' ? (
        <span class="line tight bad">
          <i class="broken" />
          Down{failingSince !== null && ` since ${formatInstant(failingSince, Date.now())}`}
        </span>
      ) : (
        <span class="faint cut">{state === 'paused' ? 'Paused' : visibleLine(host)}</span>
      )}
    </>
  );
}

const latency = ({ p50Ms, p95Ms }: ForwardStats): string =>
  p50Ms === null || p95Ms === null ? '' : `p50 ${formatDuration(p50Ms)} · p95 ${formatDuration(p95Ms)}`;

const failedText = (failed: number): string =>
  failed === 0 ? 'No failed attempts' : formatCount(failed, 'failed attempt');

function Figures({ forward, stats, isOlder }: { forward: Forward; stats: ForwardStats; isOlder: boolean }) {
  const waiting = openOf(forward);
  return (
    <>
      <strong>{stats.delivered.toLocaleString()} delivered</strong>
      <span class={forward.state === 'probing' ? 'bad' : ''}>
        {failedText(stats.failed)}
        {waiting > 0 && ` · ${waiting.toLocaleString()} wait`}
      </span>
      <span class="faint">{latency(stats)}</span>
      {isOlder && <span class="faint">Kept for 30 days</span>}
    </>
  );
}

function Plots({ forward, stats, timeline }: { forward: Forward; stats: ForwardStats; timeline: Timeline }) {
  const { delivered, failed } = stats;
  const paths = useMemo(() => pathsOf(stats, timeline), [stats, timeline]);
  const sentence = [
    `${visibleName(forward.name)}: ${delivered.toLocaleString()} delivered`,
    failedText(failed).toLowerCase(),
    latency(stats).replace(' · ', ', '),
  ];
  const count = timeline.buckets.length;
  return (
    <div role="img" aria-label={sentence.filter(text => text !== '').join(', ')}>
      <div class="chart-plot">
        <Drawing count={count} paths={paths.bars} />
      </div>
      <div class="chart-plot latency">
        <Drawing count={count} paths={paths.lines} />
      </div>
    </div>
  );
}

/** Its buckets may be longer than the axis', because they last at least one minute. */
function pathsOf({ buckets, bucketMs }: ForwardStats, axis: Timeline) {
  const places = {
    first: ((buckets[0]?.at ?? 0) - (axis.buckets[0]?.at ?? 0)) / axis.bucketMs,
    width: bucketMs / axis.bucketMs,
  };
  const max = Math.max(1, ...buckets.map(({ delivered, failed }) => delivered + failed));
  const slowest = Math.max(1, ...buckets.map(({ p95Ms }) => p95Ms ?? 0));
  const isDown = buckets.map(({ delivered, failed }) => [delivered === 0 && failed > 0 ? 1 : 0]);
  const counts = buckets.map(({ delivered, failed }) => [delivered, failed]);
  const [ok = '', bad = ''] = stackPaths(counts, max, places);
  const line = (of: 'p50Ms' | 'p95Ms') =>
    linePath(
      buckets.map(bucket => bucket[of]),
      slowest,
      places,
    );
  return {
    bars: [
      ['s-down', stackPaths(isDown, 1, places)[0] ?? ''],
      ['s-ok', ok],
      ['s-failed', bad],
    ] as const,
    lines: [
      ['s-line high', line('p95Ms')],
      ['s-line', line('p50Ms')],
    ] as const,
  };
}
