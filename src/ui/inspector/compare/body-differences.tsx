/* The differences of two bodies: of JSON by value, of other text by line. */

import { useMemo } from 'preact/hooks';
import type { ParsedBody } from '../body/views.ts';
import { type DiffRow, jsonRows } from './diff-rows.ts';
import { DifferenceTable, LineDifferences } from './differences.tsx';

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
