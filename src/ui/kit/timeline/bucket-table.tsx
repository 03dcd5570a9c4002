/* The buckets of a timeline as a table: the numbers of the chart for everybody. */

import type { Timeline } from '../../../features/timeline/model.ts';
import { bucketPeriod, countRows } from './words.ts';

export function BucketTable({ timeline, isOpen, label }: { timeline: Timeline; isOpen: boolean; label: string }) {
  const now = Date.now();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and has nothing inside that takes the focus.
    <section class="bucket-table" aria-label={label} tabIndex={0}>
      <table class="table figures">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Events</th>
            {timeline.buckets[0] &&
              countRows(timeline.buckets[0]).map(([name]) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
          </tr>
        </thead>
        <tbody>
          {timeline.buckets.map((bucket, at) => (
            <tr key={bucket.at}>
              <th scope="row">{bucketPeriod(timeline, at, isOpen, now)}</th>
              <td>{bucket.count.toLocaleString()}</td>
              {countRows(bucket).map(([name, count]) => (
                <td key={name}>{count.toLocaleString()}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
