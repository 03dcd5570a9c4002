/* The last day of an endpoint as 24 bars, and the same in words for those who do not see them. */

import { formatCount } from '../format/time.ts';
import type { Activity } from '../wire.ts';

export function Sparkline({ activity }: { activity: Activity | undefined }) {
  const counts = activity?.counts ?? [];
  const most = Math.max(1, ...counts);
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
        const amount = counts[hour] ?? 0;
        const height = amount === 0 ? 1.5 : Math.max(3, (amount / most) * 23);
        return (
          <rect
            key={hour}
            class={amount ? 'some' : 'none'}
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
