/* A table of names and values in the order they were sent: headers, query parameters, form fields. */

import type { ComponentChildren } from 'preact';
import { isJsonDocument, parseJson, prettyJson } from '../body/json.ts';
import { visibleLine, visibleText } from '../format/visible.ts';
import { FilterBy } from '../search/filter-by.tsx';
import { CopyButton } from './copy-button.tsx';

export type PairRow = {
  name: string;
  value: string;
  shown?: ComponentChildren;
  note?: string;
  /** The field of a filter that has this value. */
  field?: string;
};

export const PairTable = ({ label, rows }: { label: string; rows: PairRow[] }) => (
  <table class={`pairs ${rows.some(row => row.field !== undefined) ? 'filterable' : ''}`} aria-label={label}>
    <tbody>
      {rows.map((row, index) => (
        <tr key={index}>
          <th scope="row">{row.name === '' ? <em>(no name)</em> : visibleLine(row.name)}</th>
          <td>
            {row.shown ?? <span class="wrap">{visibleLine(row.value)}</span>}
            {row.note && <span class="faint note">{row.note}</span>}
          </td>
          <td class="act">
            {row.field !== undefined && <FilterBy field={row.field} value={row.value} />}
            <CopyButton text={row.value} what={`value of ${visibleLine(row.name)}`} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** A form value. A value that is JSON (Slack and GitHub send such forms) is shown indented. */
export function NestedValue({ text }: { text: string }) {
  const parsed = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  if (!parsed || !isJsonDocument(parsed)) return <span class="wrap">{visibleText(text)}</span>;
  return <pre class="nested">{visibleText(prettyJson(parsed))}</pre>;
}
