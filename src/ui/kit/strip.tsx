/* A small chart of equal periods, such as 24 hours. It has one path for each kind of bar, and takes the size of its box. */

import { stackPaths } from './timeline/scale.ts';

type StripProps = {
  /** For each period, the oldest first. */
  counts: readonly number[];
  /** Drawn on top of `counts`. */
  failed?: readonly number[];
  label: string;
};

export function Strip({ counts, failed, label }: StripProps) {
  const stacks = counts.map((count, at) => [count, failed?.[at] ?? 0]);
  const most = Math.max(1, ...stacks.map(([ok = 0, bad = 0]) => ok + bad));
  const [ok, bad] = stackPaths(stacks, most);
  // A low mark where there was nothing.
  const idle = stacks.map(([ok = 0, bad = 0], at) => (ok + bad === 0 ? `M${at + 0.1} 94h.8v6h-.8z` : ''));
  return (
    <svg class="strip" viewBox={`0 0 ${counts.length} 100`} preserveAspectRatio="none" role="img" aria-label={label}>
      <path class="s-idle" d={idle.join('')} />
      <path class="s-ok" d={ok} />
      {failed && <path class="s-failed" d={bad} />}
    </svg>
  );
}
