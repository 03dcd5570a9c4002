/* A virtualized JSON tree. Values are shown as they were written; the path and value of every row can be copied. */

import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useHotkeys } from '../../kit/use-hotkeys.ts';
import { useHits } from '../find-in-body/find-context.tsx';
import type { Hit } from '../find-in-body/finder.ts';
import { type JsonDocument, keyOf, nodeAt, pathOf, valueText } from './json.ts';
import { JsonFoot } from './json-foot.tsx';
import { explanationOf, indentOf, JsonRow, maxValueCharacters } from './json-row.tsx';
import { showWhole } from './text-view.tsx';
import { collapseAll, initiallyClosed, nodeIndexOf, treeRows } from './tree-rows.ts';
import { useCut } from './use-cut.ts';
import { useRows } from './use-rows.ts';
import { useValueCard } from './value-card.tsx';

const rowHeight = 22;
/** For estimates: the width of a character, of a level of indentation, and of the space beside a row. */
const characterWidth = 7.53;
const indentWidth = 16;
const besideWidth = 50;

type JsonTreeProps = { document: JsonDocument; label: string; isWrapped: boolean };

export function JsonTree({ document, label, isWrapped }: JsonTreeProps) {
  const [closed, setClosed] = useState(() => initiallyClosed(document));
  const [current, setCurrent] = useState(0);
  const [isFocused, setIsFocused] = useState(false);
  useEffect(() => {
    setClosed(initiallyClosed(document));
    setCurrent(0);
  }, [document]);
  const rows = useMemo(() => shownRows(document, closed), [document, closed]);
  const linesOf = useLinesOf(document, rows, isWrapped);
  const { scroller, range, layout, reveal } = useRows({ count: rows.length, rowHeight, linesOf });
  const currentRow = rows.indexOf(current);
  const [isCut, setIsCut] = useState(false);
  useCut(scroller, () => setIsCut(rowElement(current)?.hasAttribute('data-cut') ?? false));
  const tree = { document, rows, closed, setClosed, current, setCurrent, reveal };
  const { hits, currentHit } = useTreeHits(tree);

  const card = useValueCard(element => explanationAt(document, Number(element.dataset['explain'])));
  const explanation = useMemo(() => explanationAt(document, current), [document, current]);
  const explain = (anchor = rowElement(current)?.querySelector('[data-explain], a')): boolean => {
    if (!explanation || !anchor) return false;
    card.open(anchor, explanation);
    return true;
  };
  useHotkeys({ i: { label: 'Explain the selected value', run: () => explain(), isOff: !explanation } });

  const toggle = (index: number, open = closed.has(index)): void => {
    if ((document.nodes[index]?.size ?? 0) === 0) return;
    const next = new Set(closed);
    if (open) next.delete(index);
    else next.add(index);
    setClosed(next);
  };
  const onWhole = (index: number): void => {
    const node = document.nodes[index];
    if (node) void showWhole(pathOf(document, index), valueText(document, node));
  };
  const onKeyDown = treeKeys({ ...tree, toggle, onWhole: () => onWhole(current) });

  return (
    <div class={`tree-box pane ${isWrapped ? 'wrapped' : ''}`}>
      <div
        ref={scroller}
        class="tree"
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={currentRow >= range.from && currentRow < range.to ? `row-${current}` : undefined}
        onKeyDown={onKeyDown}
        onFocus={() => setIsFocused(true)}
        {...card.hover}
      >
        <div class="anchor" role="none" style={{ height: `${layout.height}px` }}>
          {rows.slice(range.from, range.to).map((row, offset) => (
            <JsonRow
              key={row}
              document={document}
              row={row}
              at={range.from + offset}
              top={layout.topOf(range.from + offset)}
              isClosed={closed.has(row)}
              isCurrent={isFocused && row === current}
              isWrapped={isWrapped}
              hits={hits}
              currentHit={currentHit}
              onPick={() => setCurrent(nodeIndexOf(row))}
              onToggle={() => toggle(nodeIndexOf(row))}
              onWhole={() => onWhole(nodeIndexOf(row))}
            />
          ))}
        </div>
      </div>
      <JsonFoot
        document={document}
        current={current}
        isCut={isCut}
        onWhole={() => onWhole(current)}
        onExplain={explanation && (anchor => card.open(anchor, explanation))}
        onExpandAll={() => setClosed(new Set())}
        onCollapseAll={() => setClosed(collapseAll(document))}
      />
      {card.card}
    </div>
  );
}

/** Lines of documents have no bracket around them. */
const shownRows = (document: JsonDocument, closed: ReadonlySet<number>): number[] => {
  const rows = treeRows(document, closed);
  return document.isLines && rows.at(-1) === ~0 ? rows.slice(0, -1) : rows;
};

const rowElement = (index: number): HTMLElement | null => globalThis.document.getElementById(`row-${index}`);

const explanationAt = (document: JsonDocument, index: number) => {
  const node = document.nodes[index];
  return node && explanationOf(document, node);
};

/** How many lines a wrapped row takes, as far as the lengths of key and value tell. */
const useLinesOf = (document: JsonDocument, rows: readonly number[], isWrapped: boolean) =>
  useMemo(() => {
    if (!isWrapped) return undefined;
    return (at: number, width: number): number => {
      const row = rows[at] ?? 0;
      const node = document.nodes[nodeIndexOf(row)];
      if (!node || row < 0 || node.size > 0) return 1;
      const columns = Math.max(8, (width - besideWidth - indentOf(node) * indentWidth) / characterWidth);
      const value = Math.min(node.end - node.start, maxValueCharacters.wrapped);
      return Math.max(1, Math.ceil((Math.max(0, node.keyEnd - node.keyStart) + value) / columns));
    };
  }, [document, rows, isWrapped]);

type Tree = {
  document: JsonDocument;
  rows: readonly number[];
  closed: ReadonlySet<number>;
  setClosed: (closed: Set<number>) => void;
  current: number;
  setCurrent: (index: number) => void;
  reveal: (row: number, place?: 'middle') => void;
};

/** Hits in keys and values; the row of the current one is opened and shown. */
function useTreeHits({ document, rows, closed, setClosed, setCurrent, reveal }: Tree) {
  const texts = useMemo(() => [document.text], [document]);
  const accepts = useCallback((hit: Hit) => shownNode(document, hit) !== undefined, [document]);
  const toReveal = useRef<number | undefined>(undefined);
  const { hits, current } = useHits({ order: 0, texts, isJson: true, accepts }, hit => {
    const index = shownNode(document, hit) ?? 0;
    const open = new Set(closed);
    for (let at = document.nodes[index]?.parent ?? -1; at >= 0; at = document.nodes[at]?.parent ?? -1) open.delete(at);
    setCurrent(index);
    toReveal.current = index;
    if (open.size < closed.size) setClosed(open);
    else revealNode();
  });
  const revealNode = (): void => {
    if (toReveal.current === undefined) return;
    const row = rows.indexOf(toReveal.current);
    if (row < 0) return;
    toReveal.current = undefined;
    reveal(row, 'middle');
  };
  useEffect(revealNode);
  return { hits, currentHit: current };
}

/** The node whose key or value shows at least a part of a hit; undefined for white space and punctuation. */
function shownNode(document: JsonDocument, hit: Hit): number | undefined {
  for (let index = nodeAt(document, hit.start); index < document.nodes.length; index++) {
    const node = document.nodes[index];
    if (!node || Math.min(node.start, node.keyStart < 0 ? node.start : node.keyStart) >= hit.end) return undefined;
    const isInKey = node.keyStart >= 0 && hit.start < node.keyEnd && hit.end > node.keyStart;
    const isInValue = node.size === 0 && hit.start < node.end && hit.end > node.start;
    if (isInKey || isInValue) return index;
  }
  return undefined;
}

type TreeKeysOptions = Tree & { toggle: (index: number, open?: boolean) => void; onWhole: () => void };

/** Arrow keys move and fold; Enter folds, or shows the whole value. */
function treeKeys(options: TreeKeysOptions): (event: KeyboardEvent) => void {
  const { document, rows, closed, current, setCurrent, reveal, toggle, onWhole } = options;
  const moveTo = (row: number): void => {
    const index = rows[row];
    if (index === undefined) return;
    setCurrent(index);
    reveal(row);
  };
  const step = (by: 1 | -1): void => {
    let to = rows.indexOf(current) + by;
    while ((rows[to] ?? 0) < 0) to += by;
    moveTo(to);
  };
  return event => {
    const node = document.nodes[current];
    if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
    const isOpen = node.size > 0 && !closed.has(current);
    if (event.key === 'ArrowDown') step(1);
    else if (event.key === 'ArrowUp') step(-1);
    else if (event.key === 'ArrowRight') node.size > 0 && !isOpen ? toggle(current, true) : step(1);
    else if (event.key === 'ArrowLeft') {
      if (isOpen) toggle(current, false);
      else if (node.parent >= 0) moveTo(rows.indexOf(node.parent));
    } else if (event.key === 'Enter' || event.key === ' ') {
      if (node.size > 0) toggle(current);
      else if (keyOf(document, node) !== undefined || node.kind === 'string') onWhole();
    } else return;
    event.preventDefault();
  };
}
