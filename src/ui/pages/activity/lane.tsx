/* A row of the time axis: what it is, its plot, and its figures. */

import type { ComponentChildren } from 'preact';

type LaneProps = {
  class: string;
  label: ComponentChildren;
  figures: ComponentChildren;
  children: ComponentChildren;
};

export const Lane = ({ class: own, label, figures, children }: LaneProps) => (
  <div class={`lane ${own}`}>
    <div class="lane-label col small soft">{label}</div>
    <div class="lane-area">{children}</div>
    <div class="lane-figures col small soft figures">{figures}</div>
  </div>
);
