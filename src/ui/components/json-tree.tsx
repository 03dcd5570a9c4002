/* The JSON tree: values as they were written, only the rows in view in the document, path and value of any row to copy. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { type JsonDocument, type JsonNode, keyOf, pathOf, sourceText, valueText } from '../body/json.ts';
import { collapseAll, initiallyClosed, treeRows } from '../body/tree-rows.ts';
import { formatCount } from '../format/time.ts';
import { visibleLine } from '../format/visible.ts';
import { Button, CopyButton, Dialog } from './controls.tsx';
import { Icon } from './icons.tsx';
import { TextView } from './text-view.tsx';
import { useVirtual } from './use-virtual.ts';

const rowHeight = 22;
const maxValueChars = 300;
const maxIndentDepth = 32;

export function JsonTree({ document, label }: { document: JsonDocument; label: string }) {
  const [closed, setClosed] = useState(() => initiallyClosed(document));
  const [current, setCurrent] = useState(0);
  const [touched, setTouched] = useState(false);
  const [whole, setWhole] = useState(false);
  useEffect(() => {
    setClosed(initiallyClosed(document));
    setCurrent(0);
  }, [document]);
  const rows = useMemo(() => treeRows(document, closed), [document, closed]);
  const { scroller, range, reveal } = useVirtual<HTMLDivElement>({ count: rows.length, rowHeight });
  const place = rows.indexOf(current);

  const toggle = (index: number, open = closed.has(index)): void => {
    if ((document.nodes[index]?.size ?? 0) === 0) return;
    const next = new Set(closed);
    if (open) next.delete(index);
    else next.add(index);
    setClosed(next);
  };
  const step = (by: 1 | -1): void => {
    let to = place + by;
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

  const selected = document.nodes[current];
  const shownPath = useMemo(() => ending(visibleLine(pathOf(document, current))), [document, current]);
  return (
    <div class="tree-box">
      <div
        ref={scroller}
        class="tree"
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={place >= range.from && place < range.to ? `row-${current}` : undefined}
        onKeyDown={onKeyDown}
        onFocus={() => setTouched(true)}
      >
        <div class="sizer" role="none" style={{ height: `${rows.length * rowHeight}px` }}>
          {rows.slice(range.from, range.to).map((row, at) => (
            <Row
              key={row}
              document={document}
              row={row}
              top={(range.from + at) * rowHeight}
              isClosed={closed.has(row)}
              isCurrent={touched && row === current}
              onPick={() => setCurrent(row < 0 ? ~row : row)}
              onToggle={() => toggle(row < 0 ? ~row : row)}
            />
          ))}
        </div>
      </div>
      {selected && (
        <footer class="tree-foot">
          <code title={shownPath}>{shownPath}</code>
          <span class="tree-actions">
            {selected.end - selected.start > maxValueChars && selected.size === 0 && (
              <Button kind="quiet" onClick={() => setWhole(true)}>
                Show whole value
              </Button>
            )}
            <CopyButton kind="quiet" label="Path" text={() => pathOf(document, current)} />
            <CopyButton kind="quiet" label="Value" text={() => valueText(document, selected)} />
            <span class="only-wide">
              <Button kind="quiet" onClick={() => setClosed(new Set())}>
                Expand all
              </Button>
              <Button kind="quiet" onClick={() => setClosed(collapseAll(document))}>
                Collapse
              </Button>
            </span>
          </span>
        </footer>
      )}
      {whole && selected && (
        <Dialog title="Whole value" wide onClose={() => setWhole(false)}>
          <div class="whole">
            <TextView text={valueText(document, selected)} label="Whole value" />
          </div>
          <div class="dialog-actions">
            <CopyButton label="Copy value" text={() => valueText(document, selected)} />
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** Paths can be as deep as the document; the end of one says the most. */
const ending = (path: string): string => (path.length > maxValueChars ? `…${path.slice(-maxValueChars)}` : path);

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
  const node = document.nodes[row < 0 ? ~row : row];
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
  const container = node.size > 0;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree itself listens to the keyboard.
    <div
      id={`row-${row}`}
      class={`tree-row ${isCurrent ? 'current' : ''}`}
      role="treeitem"
      aria-level={node.depth + 1}
      aria-expanded={container ? !isClosed : undefined}
      aria-selected={isCurrent}
      tabIndex={-1}
      style={style}
      onClick={event => {
        onPick();
        if (container && (event.target as Element).closest('.twist, .fold')) onToggle();
      }}
      onDblClick={onToggle}
    >
      {container && (
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
    const [open, shut, noun] = node.kind === 'object' ? ['{', '}', 'key'] : ['[', ']', 'item'];
    if (node.size === 0) return <span class="punctuation">{open + shut}</span>;
    return (
      <>
        <span class="punctuation">{open}</span>
        {isClosed && (
          <span class="fold">
            … {formatCount(node.size, noun)} {shut}
          </span>
        )}
      </>
    );
  }
  const written =
    node.end - node.start > maxValueChars
      ? document.text.slice(node.start, node.start + maxValueChars)
      : sourceText(document, node);
  return (
    <>
      <span class={`value ${node.kind}`}>{visibleLine(written)}</span>
      {node.end - node.start > maxValueChars && (
        <span class="fold">… {formatCount(node.end - node.start, 'character')}</span>
      )}
    </>
  );
}
