/* A virtualized JSON tree. Values are shown as they were written; the path and value of every row can be copied. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { type JsonDocument, type JsonNode, keyOf, pathOf, sourceText, valueText } from '../body/json.ts';
import { collapseAll, initiallyClosed, nodeIndexOf, treeRows } from '../body/tree-rows.ts';
import { formatCount } from '../format/time.ts';
import { visibleLine } from '../format/visible.ts';
import { bodyFieldOf, isScalar } from '../search/content-fields.ts';
import { FilterBy } from '../search/filter-by.tsx';
import { Button, Dialog } from './controls.tsx';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icons.tsx';
import { TextView } from './text-view.tsx';
import { useVirtual } from './use-virtual.ts';

const rowHeight = 22;
const maxValueChars = 300;
const maxIndentDepth = 32;

export function JsonTree({ document, label }: { document: JsonDocument; label: string }) {
  const [closed, setClosed] = useState(() => initiallyClosed(document));
  const [current, setCurrent] = useState(0);
  const [isFocused, setIsFocused] = useState(false);
  useEffect(() => {
    setClosed(initiallyClosed(document));
    setCurrent(0);
  }, [document]);
  const rows = useMemo(() => treeRows(document, closed), [document, closed]);
  const { scroller, range, reveal } = useVirtual<HTMLDivElement>({ count: rows.length, rowHeight });
  const currentRow = rows.indexOf(current);

  const toggle = (index: number, open = closed.has(index)): void => {
    if ((document.nodes[index]?.size ?? 0) === 0) return;
    const next = new Set(closed);
    if (open) next.delete(index);
    else next.add(index);
    setClosed(next);
  };
  const step = (by: 1 | -1): void => {
    let to = currentRow + by;
    while ((rows[to] ?? 0) < 0) to += by;
    const row = rows[to];
    if (row === undefined) return;
    setCurrent(row);
    reveal(to);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const node = document.nodes[current];
    if (!node) return;
    if (event.key === 'ArrowDown') step(1);
    else if (event.key === 'ArrowUp') step(-1);
    else if (event.key === 'ArrowRight') node.size > 0 && closed.has(current) ? toggle(current, true) : step(1);
    else if (event.key === 'ArrowLeft') {
      if (node.size > 0 && !closed.has(current)) toggle(current, false);
      else if (node.parent >= 0) {
        setCurrent(node.parent);
        reveal(rows.indexOf(node.parent));
      }
    } else if (event.key === 'Enter' || event.key === ' ') toggle(current);
    else return;
    event.preventDefault();
  };

  return (
    <div class="tree-box">
      <div
        ref={scroller}
        class="tree"
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={currentRow >= range.from && currentRow < range.to ? `row-${current}` : undefined}
        onKeyDown={onKeyDown}
        onFocus={() => setIsFocused(true)}
      >
        <div class="sizer" role="none" style={{ height: `${rows.length * rowHeight}px` }}>
          {rows.slice(range.from, range.to).map((row, offset) => (
            <Row
              key={row}
              document={document}
              row={row}
              top={(range.from + offset) * rowHeight}
              isClosed={closed.has(row)}
              isCurrent={isFocused && row === current}
              onPick={() => setCurrent(nodeIndexOf(row))}
              onToggle={() => toggle(nodeIndexOf(row))}
            />
          ))}
        </div>
      </div>
      <Footer
        document={document}
        current={current}
        onExpandAll={() => setClosed(new Set())}
        onCollapseAll={() => setClosed(collapseAll(document))}
      />
    </div>
  );
}

type FooterProps = { document: JsonDocument; current: number; onExpandAll: () => void; onCollapseAll: () => void };

/** Path and value of the current row to copy, and the buttons for the whole tree. */
function Footer({ document, current, onExpandAll, onCollapseAll }: FooterProps) {
  const [isFullValueOpen, setIsFullValueOpen] = useState(false);
  const path = useMemo(() => shortenPath(visibleLine(pathOf(document, current))), [document, current]);
  const node = document.nodes[current];
  if (!node) return null;
  return (
    <>
      <footer class="tree-foot">
        <code title={path}>{path}</code>
        <span class="tree-actions">
          {node.end - node.start > maxValueChars && node.size === 0 && (
            <Button kind="quiet" onClick={() => setIsFullValueOpen(true)}>
              Show full value
            </Button>
          )}
          <FilterByRow document={document} index={current} />
          <CopyButton kind="quiet" label="Path" text={() => pathOf(document, current)} />
          <CopyButton kind="quiet" label="Value" text={() => valueText(document, node)} />
          <span class="only-wide">
            <Button kind="quiet" onClick={onExpandAll}>
              Expand all
            </Button>
            <Button kind="quiet" onClick={onCollapseAll}>
              Collapse
            </Button>
          </span>
        </span>
      </footer>
      {isFullValueOpen && (
        <Dialog title="Full value" wide onClose={() => setIsFullValueOpen(false)}>
          <div class="whole">
            <TextView text={valueText(document, node)} label="Full value" />
          </div>
          <div class="dialog-actions">
            <CopyButton label="Copy value" text={() => valueText(document, node)} />
          </div>
        </Dialog>
      )}
    </>
  );
}

/** Filters the list by the value of a row, or by the presence of an object or list. */
function FilterByRow({ document, index }: { document: JsonDocument; index: number }) {
  const node = document.nodes[index];
  const field = useMemo(() => bodyFieldOf(document, index), [document, index]);
  if (!node || field === undefined) return null;
  const value = isScalar(node) ? valueText(document, node) : undefined;
  return <FilterBy field={field} value={value} isText={node.kind === 'string'} label="Filter" />;
}

/** Keeps the end of a long path, its most specific part. */
const shortenPath = (path: string): string => (path.length > maxValueChars ? `…${path.slice(-maxValueChars)}` : path);

type RowProps = {
  document: JsonDocument;
  row: number;
  top: number;
  isClosed: boolean;
  isCurrent: boolean;
  onPick: () => void;
  onToggle: () => void;
};

function Row({ document, row, top, isClosed, isCurrent, onPick, onToggle }: RowProps) {
  const node = document.nodes[nodeIndexOf(row)];
  if (!node) return null;
  const indent = Math.min(node.depth, maxIndentDepth);
  const style = { transform: `translateY(${top}px)`, '--depth': `${indent}` };
  if (row < 0) {
    return (
      <div class="tree-row" role="presentation" style={style}>
        <span class="punctuation">{node.kind === 'object' ? '}' : ']'}</span>
      </div>
    );
  }
  const key = keyOf(document, node);
  const isContainer = node.size > 0;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree element handles the keyboard.
    <div
      id={`row-${row}`}
      class={`tree-row ${isCurrent ? 'current' : ''}`}
      role="treeitem"
      aria-level={node.depth + 1}
      aria-expanded={isContainer ? !isClosed : undefined}
      aria-selected={isCurrent}
      tabIndex={-1}
      style={style}
      onClick={event => {
        onPick();
        if (isContainer && (event.target as Element).closest('.twist, .fold')) onToggle();
      }}
      onDblClick={onToggle}
    >
      {isContainer && (
        <span class={`twist ${isClosed ? 'closed' : ''}`}>
          <Icon name="chevron" />
        </span>
      )}
      {node.depth > maxIndentDepth && <span class="depth">level {node.depth} </span>}
      {key !== undefined && (
        <>
          <span class="key">{visibleLine(key.slice(0, maxValueChars))}</span>
          <span class="punctuation">: </span>
        </>
      )}
      {key === undefined && node.parent >= 0 && <span class="position">{node.position} </span>}
      <Value document={document} node={node} isClosed={isClosed} />
    </div>
  );
}

function Value({ document, node, isClosed }: { document: JsonDocument; node: JsonNode; isClosed: boolean }) {
  if (node.kind === 'object' || node.kind === 'array') {
    const [open, close, noun] = node.kind === 'object' ? ['{', '}', 'key'] : ['[', ']', 'item'];
    if (node.size === 0) return <span class="punctuation">{open + close}</span>;
    return (
      <>
        <span class="punctuation">{open}</span>
        {isClosed && (
          <span class="fold">
            … {formatCount(node.size, noun)} {close}
          </span>
        )}
      </>
    );
  }
  const text =
    node.end - node.start > maxValueChars
      ? document.text.slice(node.start, node.start + maxValueChars)
      : sourceText(document, node);
  return (
    <>
      <span class={`value ${node.kind}`}>{visibleLine(text)}</span>
      {node.end - node.start > maxValueChars && (
        <span class="fold">… {formatCount(node.end - node.start, 'character')}</span>
      )}
    </>
  );
}
