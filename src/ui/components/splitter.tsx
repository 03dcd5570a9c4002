/* The movable border between list and event, by pointer or arrow keys, remembered. */

import { useState } from 'preact/hooks';
import { recall, remember } from './remembered.ts';

const MIN = 280;
const MAX = 760;
const START = 420;

const clamp = (width: number): number => Math.max(MIN, Math.min(MAX, Math.round(width)));

export type Split = { width: number; setWidth: (width: number) => void };

export function useSplit(): Split {
  const [width, set] = useState(() => clamp(Number(recall('list-width')) || START));
  return {
    width,
    setWidth: next => {
      set(clamp(next));
      remember('list-width', String(clamp(next)));
    },
  };
}

export function Splitter({ split }: { split: Split }) {
  const [dragging, setDragging] = useState(false);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a splitter is a separator that takes focus; hr cannot say its value.
    <div
      class={`splitter ${dragging ? 'dragging' : ''}`}
      role="separator"
      tabIndex={0}
      aria-label="Width of the list"
      aria-orientation="vertical"
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      aria-valuenow={split.width}
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragging(true);
      }}
      onPointerMove={event => dragging && split.setWidth(event.clientX)}
      onPointerUp={() => setDragging(false)}
      onPointerCancel={() => setDragging(false)}
      onKeyDown={event => {
        const by = event.key === 'ArrowLeft' ? -16 : event.key === 'ArrowRight' ? 16 : 0;
        if (by === 0) return;
        event.preventDefault();
        split.setWidth(split.width + by);
      }}
    />
  );
}
