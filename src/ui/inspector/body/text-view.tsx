/* Shows captured text, coloured when it is markup. Of long text only a window is rendered, which moves to what is found. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button, Dialog } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { openDialog } from '../../kit/dialogs.tsx';
import { formatBytes } from '../../kit/format/time.ts';
import { visibleLine, visibleText } from '../../kit/format/visible.ts';
import { hitsWithin, revealIn, useHits } from '../find-in-body/find-context.tsx';
import type { Hit } from '../find-in-body/finder.ts';
import { MarkedSpans } from '../find-in-body/marked-text.tsx';
import { type MarkupToken, markupTokens } from './markup.ts';

const plainCharacters = 200_000;
/** Each coloured piece is an element. */
const colouredCharacters = 60_000;
/** A window begins at a line, if one begins so near. */
const lineSearchCharacters = 2000;

type TextViewProps = {
  text: string;
  label: string;
  markup?: 'xml' | 'html' | undefined;
  isWrapped?: boolean;
  order?: number;
};

export function TextView({ text, label, markup, isWrapped = true, order = 0 }: TextViewProps) {
  const slice = markup ? colouredCharacters : plainCharacters;
  const [shown, setShown] = useState({ text, from: 0, to: slice });
  const { from, to } = shown.text === text ? shown : { from: 0, to: slice };
  const show = (next: number, end: number): void => setShown({ text, from: Math.max(0, next), to: end });
  const box = useRef<HTMLElement>(null);
  const texts = useMemo(() => [text], [text]);
  const toReveal = useRef(false);
  const { hits, current } = useHits({ order, texts }, hit => {
    toReveal.current = true;
    if (hit.start < from || hit.end > to) show(lineStart(text, hit.start - slice / 2), hit.start + slice / 2);
    else reveal();
  });
  const reveal = (): void => {
    const mark = box.current?.querySelector('.current-hit');
    if (!mark) return;
    toReveal.current = false;
    const scroller = box.current?.closest('.part') ? box.current.closest('.scroll-pane') : null;
    revealIn(scroller, box.current);
    revealIn(box.current, mark);
  };
  useEffect(() => {
    if (toReveal.current) reveal();
  });
  const tokens = useMemo(
    () => (markup ? markupTokens(text.slice(from, to), markup === 'html') : noTokens),
    [text, from, to, markup],
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
    <section ref={box} class={`text-view ${isWrapped ? '' : 'unwrapped'}`} tabIndex={0} aria-label={label}>
      {from > 0 && (
        <div class="more">
          <Button onClick={() => show(lineStart(text, from - slice), to)}>
            Show earlier ({formatBytes(from)} above)
          </Button>
        </div>
      )}
      <pre>
        <Pieces
          text={text.slice(from, to)}
          tokens={tokens}
          hits={hitsWithin(hits, from, to)}
          current={current && current.start - from}
        />
      </pre>
      {text.length > to && (
        <div class="more">
          <Button onClick={() => show(from, to + slice * (markup ? 2 : 5))}>
            Show more ({formatBytes(text.length - to)} left)
          </Button>
        </div>
      )}
    </section>
  );
}

const noTokens: readonly MarkupToken[] = [];

const lineStart = (text: string, near: number): number => {
  if (near <= 0) return 0;
  const line = text.lastIndexOf('\n', near) + 1;
  return near - line <= lineSearchCharacters ? line : near;
};

type PiecesProps = {
  text: string;
  tokens: readonly MarkupToken[];
  hits: readonly Hit[];
  current: number | undefined;
};

function Pieces({ text, tokens, hits, current }: PiecesProps) {
  const marked = (start: number, end: number) => {
    const at = current === undefined ? undefined : current - start;
    return (
      <MarkedSpans text={text.slice(start, end)} spans={hitsWithin(hits, start, end)} current={at} show={visibleText} />
    );
  };
  if (tokens.length === 0) return marked(0, text.length);
  const pieces = [];
  let from = 0;
  for (const { start, end, kind } of tokens) {
    if (start > from) pieces.push(marked(from, start));
    pieces.push(
      <span key={start} class={`markup-${kind}`}>
        {marked(start, end)}
      </span>,
    );
    from = end;
  }
  if (from < text.length) pieces.push(marked(from, text.length));
  return <>{pieces}</>;
}

/** Shows the whole of a value that is cut on the page. */
export const showWhole = (name: string, text: string): Promise<void> =>
  openDialog(
    close => (
      <Dialog title="Whole value" wide onClose={close}>
        {name !== '' && <code class="whole-name soft breaks">{visibleLine(name)}</code>}
        <div class="whole">
          <TextView text={text} label="Whole value" />
        </div>
        <div class="line end">
          <CopyButton label="Copy value" text={text} />
        </div>
      </Dialog>
    ),
    'path',
  );
