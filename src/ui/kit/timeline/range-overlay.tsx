/* Lies over a chart: a range is chosen with mouse, finger or keys. No bar needs an element or a listener. */

import type { TargetedPointerEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeyNotes } from '../use-hotkeys.ts';
import { type BucketRange, between, moved } from './range.ts';

export type Tip = { title: string; rows: readonly (readonly [label: string, value: string])[] };

export type RangeOverlayProps = {
  count: number;
  label: string;
  /** The chosen period, in buckets. It may begin between two of them. */
  chosen: { from: number; to: number } | undefined;
  sentence: (bucket: number) => string;
  tip: (bucket: number) => Tip;
  /** @param isDone false while it is dragged or extended @param range undefined clears it */
  onRange: (range: BucketRange | undefined, isDone: boolean) => void;
  /** Enter, with the chosen range or else the bucket of the cursor. */
  onEnter?: (range: BucketRange) => void;
  onZoom?: (range: BucketRange) => void;
};

export function RangeOverlay(props: RangeOverlayProps) {
  const { count, label, chosen, sentence, tip } = props;
  const { cursor, isShown, handlers } = useGestures(props);
  useKeyNotes({
    ArrowLeft: 'On the timeline: move; with Shift choose a range',
    z: 'On the timeline: zoom in on the range',
  });
  const percent = (buckets: number): string => `${(buckets / count) * 100}%`;
  return (
    <div
      class="axis-overlay"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={count - 1}
      aria-valuenow={cursor}
      aria-valuetext={sentence(cursor)}
      {...handlers}
    >
      {chosen && (
        <>
          <div class="range-veil" style={{ left: 0, width: percent(chosen.from) }} />
          <div class="range-veil" style={{ left: percent(chosen.to), right: 0 }} />
          <div class="range-brush" style={{ left: percent(chosen.from), width: percent(chosen.to - chosen.from) }}>
            <i class="range-handle" data-end="from" />
            <i class="range-handle" data-end="to" />
          </div>
        </>
      )}
      {isShown && <Cursor tip={tip(cursor)} place={(cursor + 0.5) / count} />}
    </div>
  );
}

function Cursor({ tip: { title, rows }, place }: { tip: Tip; place: number }) {
  const isLeft = place > 0.6;
  return (
    <>
      <div class="axis-crosshair" style={{ left: `${place * 100}%` }} />
      <div class="axis-tip" style={isLeft ? { right: `${(1 - place) * 100}%` } : { left: `${place * 100}%` }}>
        <strong>{title}</strong>
        {rows.map(([name, value]) => (
          <div key={name}>
            <span>{name}</span>
            <span>{value}</span>
          </div>
        ))}
      </div>
    </>
  );
}

type PointerOn = TargetedPointerEvent<HTMLDivElement>;

function useGestures({ count, chosen, onRange, onEnter, onZoom }: RangeOverlayProps) {
  const [place, setPlace] = useState<number>();
  const [isShown, setIsShown] = useState(false);
  const cursor = Math.min(place ?? count - 1, count - 1);
  /** The end that stays while the other one is dragged. */
  const anchor = useRef<number | undefined>(undefined);
  /** What was chosen so far and is not reported as done. */
  const draft = useRef<BucketRange | undefined>(undefined);
  // The axis may get fewer buckets, or the pointer may be taken away.
  useEffect(() => {
    if (draft.current) onRange(undefined, false);
    draft.current = undefined;
    anchor.current = undefined;
  }, [count]);
  const range: BucketRange | undefined = chosen && [Math.floor(chosen.from), Math.ceil(chosen.to)];

  const bucketAt = ({ currentTarget, clientX }: PointerOn): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(count - 1, Math.floor(((clientX - left) / width) * count)));
  };
  const choose = (next: BucketRange): void => {
    if (draft.current?.[0] === next[0] && draft.current[1] === next[1]) return;
    draft.current = next;
    onRange(next, false);
  };
  const finish = (): void => {
    anchor.current = undefined;
    if (draft.current) onRange(draft.current, true);
    draft.current = undefined;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isCommand = event.key === 'Enter' || (event.key === 'z' && onZoom !== undefined);
    if (event.key === 'Escape') {
      if (!range) return;
      draft.current = undefined;
      onRange(undefined, true);
    } else if (isCommand) {
      finish();
      (event.key === 'z' ? onZoom : (onEnter ?? (given => onRange(given, true))))?.(range ?? between(cursor, cursor));
    } else {
      const next = moved({ cursor, range }, event.key, event.shiftKey, count);
      if (!next) return;
      setPlace(next.cursor);
      setIsShown(true);
      if (event.shiftKey && next.range) choose(next.range);
    }
    event.preventDefault();
  };
  const handlers = {
    onPointerDown: (event: PointerOn): void => {
      if (event.button !== 0) return;
      const end = event.target instanceof HTMLElement ? event.target.dataset['end'] : undefined;
      anchor.current = end && range ? (end === 'from' ? range[1] - 1 : range[0]) : bucketAt(event);
      event.currentTarget.setPointerCapture(event.pointerId);
      if (end === undefined) choose(between(anchor.current, anchor.current));
    },
    onPointerMove: (event: PointerOn): void => {
      const at = bucketAt(event);
      setPlace(at);
      setIsShown(true);
      if (anchor.current !== undefined) choose(between(anchor.current, at));
    },
    onPointerUp: finish,
    // A finger that moved up or down scrolls.
    onPointerCancel: (): void => {
      if (draft.current) onRange(undefined, false);
      draft.current = undefined;
      anchor.current = undefined;
      setIsShown(false);
    },
    onPointerLeave: () => setIsShown(false),
    onKeyDown,
    onKeyUp: (event: KeyboardEvent): void => {
      if (event.key === 'Shift') finish();
    },
    onBlur: (): void => {
      finish();
      setIsShown(false);
    },
  };
  return { cursor, isShown, handlers };
}
