/* How the answers to two replays differ: status, headers, body. */

import { useMemo } from 'preact/hooks';
import type { ReplayAttempt } from '../../../features/events/model.ts';
import { bytesOf } from '../body/bytes.ts';
import { parseBody } from '../body/views.ts';
import { BodyDifferences } from '../compare/body-differences.tsx';
import { type DiffRow, pairRows } from '../compare/diff-rows.ts';
import { DifferenceTable } from '../compare/differences.tsx';
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

type Answer = NonNullable<ReplayAttempt['response']>;

const parsed = ({ headers, body, bodyEncoding }: Answer) => {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return parseBody(bytesOf(body, bodyEncoding), type);
};

function BodyChanges({ before, after }: ComparisonProps) {
  const [left, right] = useMemo(
    () => [before.response && parsed(before.response), after.response && parsed(after.response)],
    [before, after],
  );
  if (!left || !right) return <p class="faint">Can't compare: a response body was not stored.</p>;
  if (before.response?.body === after.response?.body) return <p class="faint">The bodies are the same.</p>;
  return <BodyDifferences left={left} right={right} />;
}
