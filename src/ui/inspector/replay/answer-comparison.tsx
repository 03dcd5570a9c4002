/* How the answers to two replays differ: status, headers, body. */

import { useMemo } from 'preact/hooks';
import type { ReplayAttempt } from '../../../features/events/model.ts';
import { diffPairs } from '../../../shared/diff/text-diff.ts';
import { isJsonDocument, parseJson } from '../body/json.ts';
import { ChangeTable, LineDifferences } from '../compare/differences.tsx';
import { type Change, diffJson } from '../compare/json-diff.ts';
import { answerText } from './answer-view.tsx';
import { statusText } from './status-text.ts';

type ComparisonProps = { before: ReplayAttempt; after: ReplayAttempt };

export function AnswerComparison({ before, after }: ComparisonProps) {
  const changes = useMemo(() => statusAndHeaders(before, after), [before, after]);
  return (
    <section class="answer-comparison col" aria-label="Comparison of two responses">
      <h3 class="panel-title">Status and headers</h3>
      <ChangeTable changes={changes} same="Status and headers are the same." />
      <h3 class="panel-title">Body</h3>
      <BodyChanges before={before} after={after} />
    </section>
  );
}

const statusAndHeaders = (before: ReplayAttempt, after: ReplayAttempt): Change[] => [
  ...(before.status === after.status
    ? []
    : [
        {
          kind: 'changed' as const,
          path: 'status',
          before: statusText(before.status),
          after: statusText(after.status),
        },
      ]),
  ...diffPairs(before.response?.headers ?? [], after.response?.headers ?? []).map(({ name, ...change }) => ({
    kind: change.kind,
    path: name,
    before: change.before,
    after: change.after,
  })),
];

function BodyChanges({ before, after }: ComparisonProps) {
  const [mine, theirs] = [before.response && answerText(before.response), after.response && answerText(after.response)];
  const changes = useMemo(() => jsonChanges(mine, theirs), [mine, theirs]);
  if (before.response === null || after.response === null)
    return <p class="faint">Can't compare: a response body was not stored.</p>;
  if (mine === theirs && before.response.body === after.response.body)
    return <p class="faint">The bodies are the same.</p>;
  if (changes) return <ChangeTable changes={changes} same="Same values; only whitespace or order differs." />;
  if (mine === undefined || theirs === undefined)
    return <p class="faint">The bodies differ. At least one is binary.</p>;
  return <LineDifferences left={mine ?? ''} right={theirs ?? ''} />;
}

function jsonChanges(left: string | null | undefined, right: string | null | undefined): Change[] | undefined {
  if (!left || !right) return undefined;
  const [one, other] = [parseJson(left), parseJson(right)];
  return isJsonDocument(one) && isJsonDocument(other) ? diffJson(one, other) : undefined;
}
