/* Shows the differences of two texts: as a tree of values or a list of pairs in a table, or line by line. */

import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type DiffLine, diffLines } from '../../../shared/diff/text-diff.ts';
import { Button } from '../../kit/controls.tsx';
import { formatCount } from '../../kit/format/time.ts';
import { cut, visibleLine, visiblePreview, visibleText } from '../../kit/format/visible.ts';
import { prettyText } from '../body/json.ts';
import { showWhole } from '../body/text-view.tsx';
import type { ParsedBody } from '../body/views.ts';
import { markDifferences, type Piece } from './char-diff.ts';
import { type DiffRow, type Fold, foldRows, isDifference, jsonRows, maxDifferences } from './diff-rows.ts';

const maxValueChars = 2000;
const maxIndentedChars = 100_000;
const maxShownRows = 2000;
const maxShownLines = 3000;
const maxIndentedDepth = 12;
const contextLines = 3;

const kindLabels = { added: 'Added', removed: 'Removed', changed: 'Changed', parent: '', same: '' } as const;

type DifferenceTableProps = {
  rows: readonly DiffRow[];
  same: string;
  hidesIdsAndTimes?: boolean;
};

export function DifferenceTable({ rows, same, hidesIdsAndTimes = false }: DifferenceTableProps) {
  const folded = useMemo(() => foldRows(rows, { hidesIdsAndTimes }), [rows, hidesIdsAndTimes]);
  const differences = rows.filter(isDifference);
  if (differences.length === 0) return <p class="faint">{same}</p>;
  return (
    <>
      <table class="changes table folds">
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {folded
            .slice(0, maxShownRows)
            .map((row, index) =>
              row.kind === 'fold' ? <FoldedRows key={index} fold={row} /> : <Row key={index} row={row} />,
            )}
        </tbody>
      </table>
      {(differences.length >= maxDifferences || folded.length > maxShownRows) && (
        <p class="faint">
          There may be more differences. The first {Math.min(differences.length, maxShownRows).toLocaleString()} are
          shown.
        </p>
      )}
    </>
  );
}

/** Unchanged and hidden values, until they are wanted. */
function FoldedRows({ fold: { rows, depth, sameCount, hiddenCount } }: { fold: Fold }) {
  const [isOpen, setIsOpen] = useState(false);
  const texts = [
    sameCount > 0 && `${sameCount.toLocaleString()} unchanged`,
    hiddenCount > 0 && `${hiddenCount.toLocaleString()} hidden`,
  ];
  return (
    <>
      <tr class="fold">
        <td colSpan={3} style={indentOf(depth)}>
          <button type="button" class="link-button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? '▾' : '▸'} {texts.filter(Boolean).join(', ')}
          </button>
        </td>
      </tr>
      {isOpen && rows.slice(0, maxShownRows).map((row, index) => <Row key={index} row={row} />)}
    </>
  );
}

const indentOf = (depth: number) => ({ '--depth': Math.min(depth, maxIndentedDepth) });

function Row({ row: { kind, depth, name, before, after } }: { row: DiffRow }) {
  const head = (
    <th scope="row" style={indentOf(depth)} {...(kind === 'parent' && { colSpan: 3 })}>
      <span class="kind">{kindLabels[kind]}</span> <code>{visibleLine(cut(name, maxValueChars))}</code>
    </th>
  );
  const marked = before !== undefined && after !== undefined && kind === 'changed' && markDifferences(before, after);
  return (
    <tr class={kind}>
      {head}
      {kind === 'same' && (
        <td class="faint cut" colSpan={2}>
          <code>{visiblePreview(before ?? '')}</code>
        </td>
      )}
      {isDifference({ kind, depth, name }) && (
        <>
          <td class="before">
            <Value name={name} text={before} pieces={marked ? marked.before : undefined} as="del" />
          </td>
          <td class="after">
            <Value name={name} text={after} pieces={marked ? marked.after : undefined} as="ins" />
          </td>
        </>
      )}
    </tr>
  );
}

type ValueProps = { name: string; text: string | undefined; pieces: Piece[] | undefined; as: 'del' | 'ins' };

function Value({ name, text, pieces, as }: ValueProps) {
  if (text === undefined) return null;
  return (
    <>
      <code>
        <Pieces pieces={pieces ?? [{ text: cut(indented(text), maxValueChars), isChanged: true }]} as={as} />
      </code>
      {text.length > maxValueChars && (
        <Button kind="quiet" onClick={() => showWhole(name, text)}>
          Show whole value
        </Button>
      )}
    </>
  );
}

const Pieces = ({ pieces, as: Marked }: { pieces: readonly Piece[]; as: 'del' | 'ins' }) => (
  <>
    {pieces.map(({ text, isChanged }, index) =>
      isChanged ? <Marked key={index}>{visibleText(text)}</Marked> : visibleText(text),
    )}
  </>
);

/** An object or array that was added or removed as a whole. */
const indented = (text: string): string =>
  (/^[[{]/.test(text) && text.length <= maxIndentedChars && prettyText(text)) || text;

export function LineDifferences({ left, right }: { left: string; right: string }) {
  const parts = useMemo(() => lineParts(diffLines(left, right)), [left, right]);
  const shown = parts.slice(0, maxShownLines);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
    <pre class="lines" tabIndex={0}>
      {shown.map((part, index) =>
        'lines' in part ? <FoldedLines key={index} {...part} /> : <Line key={index} {...part} />,
      )}
      {parts.length > maxShownLines && `… ${formatCount(parts.length - maxShownLines, 'more line')}`}
    </pre>
  );
}

type LinePart = (DiffLine & { pieces?: Piece[] }) | { lines: DiffLine[] };

/** Unchanged lines far from a difference are one part; a line that replaces another has its differences marked. */
function lineParts(lines: readonly DiffLine[]): LinePart[] {
  const parts: LinePart[] = [];
  for (let start = 0; start < lines.length; ) {
    const isSame = lines[start]?.kind === 'same';
    let end = start;
    while (end < lines.length && (lines[end]?.kind === 'same') === isSame) end++;
    const run = lines.slice(start, end);
    if (isSame) {
      const first = start === 0 ? 0 : contextLines;
      const last = end === lines.length ? run.length : run.length - contextLines;
      const folded = run.slice(first, last);
      parts.push(...(folded.length > 1 ? [...run.slice(0, first), { lines: folded }, ...run.slice(last)] : run));
    } else parts.push(...markedLines(run));
    start = end;
  }
  return parts;
}

function markedLines(run: readonly DiffLine[]): LinePart[] {
  const removed = run.filter(({ kind }) => kind === 'removed');
  const added = run.filter(({ kind }) => kind === 'added');
  if (removed.length !== added.length) return [...run];
  const marked = removed.map(({ text }, at) => markDifferences(text, added[at]?.text ?? ''));
  return [
    ...removed.map((line, at) => ({ ...line, pieces: marked[at]?.before ?? [] })),
    ...added.map((line, at) => ({ ...line, pieces: marked[at]?.after ?? [] })),
  ];
}

const signs = { same: '  ', added: '+ ', removed: '- ' } as const;

function Line({ kind, text, pieces }: DiffLine & { pieces?: Piece[] }): ComponentChildren {
  const as = kind === 'added' ? 'ins' : 'del';
  return (
    <span class={kind}>
      {signs[kind]}
      {pieces ? <Pieces pieces={pieces} as={as} /> : visibleLine(cut(text, maxValueChars))}
      {'\n'}
    </span>
  );
}

function FoldedLines({ lines }: { lines: readonly DiffLine[] }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" class="link-button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {isOpen ? '▾' : '▸'} {formatCount(lines.length, 'unchanged line')}
      </button>
      {'\n'}
      {isOpen && lines.slice(0, maxShownLines).map((line, index) => <Line key={index} {...line} />)}
    </>
  );
}

/** Undefined when one of them is not JSON. */
export function bodyRows(left: ParsedBody, right: ParsedBody): DiffRow[] | undefined {
  const [mine, theirs] = [left, right].map(({ lines, json }) => lines ?? json);
  return mine && theirs && jsonRows(mine, theirs);
}

/** `rows`: from `bodyRows`, if they are known. */
type BodyDifferencesProps = {
  left: ParsedBody;
  right: ParsedBody;
  rows?: DiffRow[] | undefined;
  hidesIdsAndTimes?: boolean;
};

export function BodyDifferences({ left, right, rows: known, hidesIdsAndTimes = false }: BodyDifferencesProps) {
  const rows = useMemo(() => known ?? bodyRows(left, right), [known, left, right]);
  if (rows)
    return (
      <DifferenceTable
        rows={rows}
        same="Same values; only whitespace or order differs."
        hidesIdsAndTimes={hidesIdsAndTimes}
      />
    );
  if (left.text === undefined || right.text === undefined)
    return <p class="faint">The bodies differ. At least one is binary.</p>;
  return <LineDifferences left={left.text} right={right.text} />;
}
