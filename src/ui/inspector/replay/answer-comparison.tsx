/* How the answers to two replays differ: status, headers, body. */

import { useMemo } from 'preact/hooks';
import type { ReplayAttempt } from '../../../features/events/model.ts';
import { isJsonDocument, parseJson } from '../body/json.ts';
import { type DiffRow, jsonRows, pairRows } from '../compare/diff-rows.ts';
import { DifferenceTable, LineDifferences } from '../compare/differences.tsx';
import { answerText } from './answer-view.tsx';
import { statusText } from './status-text.ts';

type ComparisonProps = { before: ReplayAttempt; after: ReplayAttempt };

export function AnswerComparison({ before, after }: ComparisonProps) {
  const rows = useMemo(() => statusAndHeaders(before, after), [before, after]);
  return (
    <section class="answer-comparison col" aria-label="Comparison of two responses">
      <h3 class="panel-title">Status and headers</h3>
      <DifferenceTable rows={rows} same="Status and headers are the same." />
      <h3 class="panel-title">Body</h3>
      <BodyChanges before={before} after={after} />
    </section>
  );
}

const statusAndHeaders = (before: ReplayAttempt, after: ReplayAttempt): DiffRow[] =>
  pairRows(
    [['status', statusText(before.status)], ...(before.response?.headers ?? [])],
    [['status', statusText(after.status)], ...(after.response?.headers ?? [])],
  );

function BodyChanges({ before, after }: ComparisonProps) {
  const [mine, theirs] = [before.response && answerText(before.response), after.response && answerText(after.response)];
  const rows = useMemo(() => rowsOf(mine, theirs), [mine, theirs]);
  if (before.response === null || after.response === null)
    return <p class="faint">Can't compare: a response body was not stored.</p>;
  if (mine === theirs && before.response.body === after.response.body)
    return <p class="faint">The bodies are the same.</p>;
  if (rows) return <DifferenceTable rows={rows} same="Same values; only whitespace or order differs." />;
  if (mine === undefined || theirs === undefined)
    return <p class="faint">The bodies differ. At least one is binary.</p>;
  return <LineDifferences left={mine ?? ''} right={theirs ?? ''} />;
}

function rowsOf(left: string | null | undefined, right: string | null | undefined): DiffRow[] | undefined {
  if (!left || !right) return undefined;
  const [one, other] = [parseJson(left), parseJson(right)];
  return isJsonDocument(one) && isJsonDocument(other) ? jsonRows(one, other) : undefined;
}
