/* The bar below a JSON tree: path and value of the current row to copy, what it means, and the buttons for the whole tree. */

import { useMemo } from 'preact/hooks';
import { Button } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { cutPath, visibleLine } from '../../kit/format/visible.ts';
import { RedactField } from '../event/redacted.tsx';
import { bodyFieldOf, isScalar } from '../filter/content-fields.ts';
import { FilterBy } from '../filter/filter-by.tsx';
import { type JsonDocument, pathOf, valueText } from './json.ts';

const maxPathCharacters = 300;

type FootProps = {
  document: JsonDocument;
  current: number;
  /** The value of the current row has no room in it. */
  isCut: boolean;
  onWhole: () => void;
  onExplain: ((anchor: Element) => void) | undefined;
  onExpandAll: () => void;
  onCollapseAll: () => void;
};

export function JsonFoot({ document, current, isCut, onWhole, onExplain, onExpandAll, onCollapseAll }: FootProps) {
  const path = useMemo(() => cutPath(visibleLine(pathOf(document, current)), maxPathCharacters), [document, current]);
  const node = document.nodes[current];
  if (!node) return null;
  return (
    <footer class="tree-foot line rigid">
      <code class="grow cut soft" title={path}>
        {path}
      </code>
      <span class="tree-actions line tight rigid">
        {isCut && (
          <Button kind="quiet" icon="expand" onClick={onWhole}>
            Show whole value
          </Button>
        )}
        {onExplain && (
          <Button
            kind="quiet"
            icon="info"
            title="Explain this value (i)"
            onClick={event => onExplain(event.currentTarget)}
          >
            Explain
          </Button>
        )}
        {!document.isLines && <FieldActions document={document} index={current} />}
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
  );
}

/** Filters the list by the value of a row, or by the presence of an object or list; and redacts its field from now on. */
function FieldActions({ document, index }: { document: JsonDocument; index: number }) {
  const node = document.nodes[index];
  const field = useMemo(() => bodyFieldOf(document, index), [document, index]);
  if (!node || field === undefined) return null;
  const value = isScalar(node) ? valueText(document, node) : undefined;
  return (
    <>
      <FilterBy field={field} value={value} isText={node.kind === 'string'} label="Filter" />
      <RedactField field={field} isWide />
    </>
  );
}
