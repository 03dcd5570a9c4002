/* A table of names and values in the order they were sent: headers, query parameters, form fields. */

import { useMemo, useRef } from 'preact/hooks';
import { Button, IconButton } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { visibleLine, visibleText } from '../../kit/format/visible.ts';
import { RedactedMark, RedactField, useRedactedMark } from '../event/redacted.tsx';
import { FilterBy } from '../filter/filter-by.tsx';
import { hitsWithin, revealIn, useHits } from '../find-in-body/find-context.tsx';
import type { Hit } from '../find-in-body/finder.ts';
import { MarkedSpans } from '../find-in-body/marked-text.tsx';
import { type Explanation, explain } from './explain.ts';
import { prettyText } from './json.ts';
import { showWhole } from './text-view.tsx';
import { useCut } from './use-cut.ts';
import { SafeLink, useValueCard } from './value-card.tsx';

export type PairRow = {
  name: string;
  value: string;
  shown?: string;
  note?: string;
  /** The field of a filter that has this value. */
  field?: string;
  /** May have several lines. A value that is JSON (Slack and GitHub send such forms) is shown indented. */
  isText?: boolean;
};

type ShownRow = PairRow & { text: string; isJson: boolean; explanation: Explanation | undefined };

export function PairTable({ label, rows: given, order = 0 }: { label: string; rows: PairRow[]; order?: number }) {
  const rows = useMemo(() => given.map(toShown), [given]);
  const texts = useMemo(() => rows.flatMap(({ name, text }) => [name, text]), [rows]);
  const table = useRef<HTMLTableElement>(null);
  useCut(table);
  const { hits, current } = useHits({ order, texts }, () => {
    const mark = table.current?.querySelector('.current-hit');
    revealIn(mark?.closest('.nested'), mark);
    revealIn(mark?.closest('.scroll-pane'), mark);
  });
  const card = useValueCard(element => rows[Number(element.dataset['explain'])]?.explanation);
  const byText = Map.groupBy(hits, hit => hit.text);
  return (
    <>
      <table
        ref={table}
        class={`pairs table folds ${rows.some(row => row.field !== undefined) ? 'filterable' : ''}`}
        aria-label={label}
        {...card.hover}
      >
        <tbody>
          {rows.map((row, index) => (
            <Row
              key={index}
              row={row}
              index={index}
              hitsInName={byText.get(index * 2)}
              hitsInText={byText.get(index * 2 + 1)}
              current={current}
              onWhole={() => showWhole(row.name, row.text)}
              onExplain={anchor => row.explanation && card.open(anchor, row.explanation)}
            />
          ))}
        </tbody>
      </table>
      {card.card}
    </>
  );
}

function toShown(row: PairRow): ShownRow {
  const json = row.isText && /^\s*[[{]/.test(row.value) ? prettyText(row.value) : undefined;
  const isPlain = row.shown === undefined && json === undefined;
  return {
    ...row,
    text: row.shown ?? json ?? row.value,
    isJson: json !== undefined,
    explanation: isPlain ? explain(row.value, { key: row.name, isNumber: false }) : undefined,
  };
}

type RowProps = {
  row: ShownRow;
  index: number;
  hitsInName: readonly Hit[] | undefined;
  hitsInText: readonly Hit[] | undefined;
  current: Hit | undefined;
  onWhole: () => void;
  onExplain: (anchor: Element) => void;
};

function Row({ row, index, hitsInName = [], hitsInText = [], current, onWhole, onExplain }: RowProps) {
  const { name, value, text, note, field, isText, isJson, explanation } = row;
  const markOf = useRedactedMark();
  const show = isText || isJson ? visibleText : visibleLine;
  const marked = (hits: readonly Hit[], of: string, shown: (text: string) => string) => (
    <MarkedSpans
      text={of}
      spans={hitsWithin(hits, 0, of.length)}
      current={current && hits.includes(current) ? current.start : undefined}
      show={shown}
    />
  );
  const content = marked(hitsInText, text, show);
  // A value that was found is not cut.
  const isFound = current !== undefined && hitsInText.includes(current);
  return (
    <tr data-row={index}>
      <th scope="row">{name === '' ? <em>(no name)</em> : marked(hitsInName, name, visibleLine)}</th>
      <td>
        {isJson ? (
          <pre class="nested code">{content}</pre>
        ) : (
          <span class={`wrap pair-value ${isFound ? 'found' : ''}`} data-clip>
            {explanation?.kind === 'link' ? (
              <SafeLink url={explanation.url}>{content}</SafeLink>
            ) : (
              <span {...(explanation && { class: 'explained', 'data-explain': index })}>{content}</span>
            )}
          </span>
        )}
        {explanation && explanation.kind !== 'link' && (
          <IconButton
            icon="info"
            class="explain"
            label={`Explain the value of ${visibleLine(name)}`}
            onClick={event => onExplain(event.currentTarget)}
          />
        )}
        <Button kind="quiet" class="show-whole" onClick={onWhole}>
          Show whole value
        </Button>
        <RedactedMark mark={markOf(field, value)} />
        {note && <span class="faint note">{note}</span>}
      </td>
      <td class="act">
        {field !== undefined && <FilterBy field={field} value={value} />}
        <RedactField field={field} />
        <CopyButton text={value} what={`value of ${visibleLine(name)}`} />
      </td>
    </tr>
  );
}
