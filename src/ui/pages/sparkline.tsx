/* The events of the last 24 hours as bars, with a text label for screen readers. */

import type { Activity } from '../../features/endpoints/model.ts';
import { formatCount } from '../kit/format/time.ts';

export function Sparkline({ activity }: { activity: Activity | undefined }) {
  const counts = activity?.counts ?? [];
  const maxCount = Math.max(1, ...counts);
  const total = counts.reduce((sum, one) => sum + one, 0);
  const label = activity ? `${formatCount(total, 'event')} in the last 24 hours` : 'Loading activity';
  const width = 4;
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${24 * width} 24`}
      width={24 * width}
      height="24"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {Array.from({ length: 24 }, (_, hour) => {
        const eventCount = counts[hour] ?? 0;
        const height = eventCount === 0 ? 1.5 : Math.max(3, (eventCount / maxCount) * 23);
        return (
          <rect
            key={hour}
            class={eventCount ? 'some' : 'none'}
            x={hour * width}
            y={24 - height}
            width={width - 1}
            height={height}
            rx="1"
          />
        );
      })}
    </svg>
  );
}
