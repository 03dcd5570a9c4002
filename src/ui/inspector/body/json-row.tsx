/* One row of a JSON tree: key and value as they were written, with what was found in them. */

import { useMemo } from 'preact/hooks';
import { formatCount } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { Icon } from '../../kit/icons.tsx';
import { RedactedMark, useRedactedMark } from '../event/redacted.tsx';
import { bodyFieldOf } from '../filter/content-fields.ts';
import { hitsWithin } from '../find-in-body/find-context.tsx';
import type { Hit } from '../find-in-body/finder.ts';
import { MarkedSpans } from '../find-in-body/marked-text.tsx';
import { type Explanation, explain } from './explain.ts';
import { type JsonDocument, type JsonNode, keyOf, sourceText, valueText } from './json.ts';
import { nodeIndexOf } from './tree-rows.ts';
import { SafeLink } from './value-card.tsx';

export const maxValueCharacters = { unwrapped: 300, wrapped: 2000 };
const maxKeyCharacters = 300;
const maxIndentDepth = 32;
const charactersBeforeHit = 40;

export const indentOf = (node: JsonNode): number => Math.min(node.depth, maxIndentDepth);

type RowProps = {
  document: JsonDocument;
  row: number;
  at: number;
  top: number;
  isClosed: boolean;
  isCurrent: boolean;
  isWrapped: boolean;
  hits: readonly Hit[];
  currentHit: Hit | undefined;
  onPick: () => void;
  onToggle: () => void;
  onWhole: () => void;
};

export function JsonRow(props: RowProps) {
  const { document, row, at, top, isClosed, isCurrent, onPick, onToggle, onWhole } = props;
  const node = document.nodes[nodeIndexOf(row)];
  if (!node) return null;
  const style = { transform: `translateY(${top}px)`, '--depth': `${indentOf(node)}` };
  if (row < 0) {
    return (
      <div class="tree-row" role="presentation" style={style} data-at={at}>
        <span class="faint">{node.kind === 'object' ? '}' : ']'}</span>
      </div>
    );
  }
  const isContainer = node.size > 0;
  const isLines = document.isLines && node.parent < 0;
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
      data-at={at}
      data-row={row}
      onClick={event => {
        onPick();
        if (isContainer && (event.target as Element).closest('.twist, .fold')) onToggle();
      }}
      onDblClick={onToggle}
    >
      {isContainer && (
        <span class={`twist faint ${isClosed ? 'closed' : ''}`}>
          <Icon name="chevron" />
        </span>
      )}
      <span
        class="row-text"
        {...(!isContainer && { 'data-clip': '', ...(isShortened(props, node) && { 'data-shortened': '' }) })}
      >
        {node.depth > maxIndentDepth && <span class="faint">level {node.depth} </span>}
        {isLines ? (
          <span class="fold faint">{formatCount(node.size, 'document')}</span>
        ) : (
          <KeyAndValue {...props} node={node} />
        )}
      </span>
      {!isContainer && (
        <button
          type="button"
          class="show-whole"
          tabIndex={-1}
          title="Show whole value"
          aria-label="Show whole value"
          onClick={onWhole}
        >
          <Icon name="expand" />
        </button>
      )}
    </div>
  );
}

type PartProps = RowProps & { node: JsonNode };

function KeyAndValue(props: PartProps) {
  const { document, node } = props;
  const key = keyOf(document, node);
  const isDocument = document.isLines === true && node.depth === 1;
  return (
    <>
      {key !== undefined && (
        <>
          <span class="key">
            <Key {...props} text={key} />
          </span>
          <span class="faint">: </span>
        </>
      )}
      {key === undefined && node.parent >= 0 && (
        <span class="position faint">{isDocument ? `Document ${node.position + 1} ` : `${node.position} `}</span>
      )}
      <Value {...props} />
    </>
  );
}

/** Where a hit begins in a part of the text; undefined outside of it. */
const placeOf = (hit: Hit | undefined, from: number, to: number): number | undefined =>
  hit && hit.start < to && hit.end > from ? Math.max(0, hit.start - from) : undefined;

/** Keys are shown without quotes and escapes, so a hit in a key with escapes marks all of it. */
function Key({ node, hits, currentHit, text }: PartProps & { text: string }) {
  const { keyStart, keyEnd } = node;
  const isPlain = text.length === keyEnd - keyStart - 2;
  const inKey = hitsWithin(hits, keyStart, keyEnd);
  if (inKey.length === 0) return <>{visibleLine(text.slice(0, maxKeyCharacters))}</>;
  const shown = text.slice(0, maxKeyCharacters);
  const spans = isPlain
    ? inKey.map(({ start, end }) => ({ start: Math.max(0, start - 1), end: Math.min(shown.length, end - 1) }))
    : [{ start: 0, end: shown.length }];
  const current = placeOf(currentHit, keyStart, keyEnd);
  return (
    <MarkedSpans
      text={shown}
      spans={spans.filter(({ start, end }) => start < end)}
      current={current && (isPlain ? Math.max(0, current - 1) : 0)}
      show={visibleLine}
    />
  );
}

function Value(props: PartProps) {
  const { document, node, isClosed } = props;
  const explanation = useExplanation(document, node);
  if (node.kind === 'object' || node.kind === 'array') {
    const [open, close, noun] = node.kind === 'object' ? ['{', '}', 'key'] : ['[', ']', 'item'];
    if (node.size === 0) return <span class="faint">{open + close}</span>;
    return (
      <>
        <span class="faint">{open}</span>
        {isClosed && (
          <span class="fold faint">
            … {formatCount(node.size, noun)} {close}
          </span>
        )}
      </>
    );
  }
  const { from, to } = shownPart(props, node);
  const inValue = hitsWithin(props.hits, from, to);
  const content = (
    <MarkedSpans
      text={document.text.slice(from, to)}
      spans={inValue}
      current={placeOf(props.currentHit, from, to)}
      show={visibleLine}
    />
  );
  return (
    <>
      {from > node.start && <span class="fold faint">… </span>}
      <span class={`value ${node.kind}`}>
        {explanation?.kind === 'link' ? (
          <SafeLink url={explanation.url} tabIndex={-1}>
            {content}
          </SafeLink>
        ) : explanation ? (
          <span class="explained" data-explain={nodeIndexOf(props.row)}>
            {content}
          </span>
        ) : (
          content
        )}
      </span>
      {to < node.end && <span class="fold faint">… {formatCount(node.end - node.start, 'character')}</span>}
      {node.kind === 'string' && <RedactedValue {...props} />}
    </>
  );
}

function RedactedValue({ document, node, row }: PartProps) {
  const markOf = useRedactedMark();
  const isShort = node.end - node.start <= maxValueCharacters.wrapped;
  const mark = isShort ? markOf(bodyFieldOf(document, nodeIndexOf(row)), valueText(document, node)) : undefined;
  return <RedactedMark mark={mark} />;
}

/** The part of the value to show: its beginning, or the text around the current hit. */
function shownPart({ isWrapped, currentHit }: Pick<RowProps, 'isWrapped' | 'currentHit'>, node: JsonNode) {
  const most = isWrapped ? maxValueCharacters.wrapped : maxValueCharacters.unwrapped;
  const isInside = currentHit !== undefined && currentHit.start >= node.start && currentHit.end <= node.end;
  const visibleEnd = node.start + (isWrapped ? most : charactersBeforeHit * 2);
  const from = isInside && currentHit.end > visibleEnd ? currentHit.start - charactersBeforeHit : node.start;
  return { from: Math.max(node.start, from), to: Math.min(node.end, Math.max(node.start, from) + most) };
}

function isShortened(props: RowProps, node: JsonNode): boolean {
  const { from, to } = shownPart(props, node);
  return from > node.start || to < node.end;
}

const useExplanation = (document: JsonDocument, node: JsonNode): Explanation | undefined =>
  useMemo(() => explanationOf(document, node), [document, node]);

/** What a string or number means; undefined for anything plain. */
export function explanationOf(document: JsonDocument, node: JsonNode): Explanation | undefined {
  if (node.kind !== 'string' && node.kind !== 'number') return undefined;
  const isNumber = node.kind === 'number';
  const text = isNumber ? sourceText(document, node) : valueText(document, node);
  return explain(text, { key: nearestKey(document, node), isNumber });
}

/** The key of the value, or of the list that it is in. */
function nearestKey(document: JsonDocument, node: JsonNode): string {
  const owner = node.keyStart < 0 ? document.nodes[node.parent] : node;
  return (owner && keyOf(document, owner)) ?? '';
}
