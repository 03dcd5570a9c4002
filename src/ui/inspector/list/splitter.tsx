/* The draggable border between list and event. It also moves with the arrow keys, and its position is saved. */

import { useState } from 'preact/hooks';
import { loadPreference, savePreference } from '../../kit/preferences.ts';

const minWidth = 280;
const maxWidth = 760;
const defaultWidth = 420;

const clamp = (width: number): number => Math.max(minWidth, Math.min(maxWidth, Math.round(width)));

export function useSplit() {
  const [width, set] = useState(() => clamp(Number(loadPreference('list-width')) || defaultWidth));
  return {
    width,
    setWidth: (next: number): void => {
      set(clamp(next));
      savePreference('list-width', String(clamp(next)));
    },
  };
}

export function Splitter({ split }: { split: ReturnType<typeof useSplit> }) {
  const [dragging, setDragging] = useState(false);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a splitter is a separator that takes focus; hr has no value.
    <div
      class={`splitter ${dragging ? 'dragging' : ''}`}
      role="separator"
      tabIndex={0}
      aria-label="Width of the list"
      aria-orientation="vertical"
      aria-valuemin={minWidth}
      aria-valuemax={maxWidth}
      aria-valuenow={split.width}
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragging(true);
      }}
      onPointerMove={event => dragging && split.setWidth(event.clientX)}
      onPointerUp={() => setDragging(false)}
      onPointerCancel={() => setDragging(false)}
      onKeyDown={event => {
        const delta = event.key === 'ArrowLeft' ? -16 : event.key === 'ArrowRight' ? 16 : 0;
        if (delta === 0) return;
        event.preventDefault();
        split.setWidth(split.width + delta);
      }}
    />
  );
}
