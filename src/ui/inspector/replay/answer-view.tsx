/* The kept answers of replays: one in full, or how two differ. */

import { useMemo } from 'preact/hooks';
import type { ReplayAttempt } from '../../../features/events/model.ts';
import { formatBytes } from '../../kit/format/time.ts';
import { headerText, visibleText } from '../../kit/format/visible.ts';
import { bytesOf, utf8Text } from '../body/bytes.ts';
import { prettyText } from '../body/json.ts';
import { PairTable } from '../body/pair-table.tsx';
import { headerOf, parseBody } from '../body/views.ts';
import { type DiffRow, pairRows } from '../compare/diff-rows.ts';
import { BodyDifferences, DifferenceTable } from '../compare/differences.tsx';
import { resultLine, statusText } from './status-text.ts';

type Answer = NonNullable<ReplayAttempt['response']>;

/** As text, JSON indented; undefined for a binary body. */
function answerText({ body, bodyEncoding }: Answer): string | undefined {
  const text = utf8Text(bytesOf(body, bodyEncoding));
  return text && (prettyText(text) ?? text);
}

export function AnswerView({ attempt }: { attempt: ReplayAttempt }) {
  const { response } = attempt;
  if (response === null)
    return <p class="faint">{attempt.status === null ? 'No response.' : 'The response was not stored.'}</p>;
  const text = answerText(response);
  return (
    <div class="answer col">
      <h3 class="panel-title">Response</h3>
      <code>{resultLine(attempt)}</code>
      {response.headers.length > 0 && (
        <PairTable
          label="Response headers"
          rows={response.headers.map(([name, value]) => ({ name, value: headerText(value) }))}
        />
      )}
      {response.body === '' ? (
        <p class="faint">The response has no body.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
        <pre class="code" tabIndex={0}>
          {text === undefined
            ? `(${formatBytes(bytesOf(response.body, response.bodyEncoding).length)} of binary data)`
            : visibleText(text)}
        </pre>
      )}
      {response.truncated && <p class="faint">Only the first 4 KiB of the body are stored.</p>}
    </div>
  );
}

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

const parsed = ({ headers, body, bodyEncoding }: NonNullable<ReplayAttempt['response']>) =>
  parseBody(bytesOf(body, bodyEncoding), headerOf(headers, 'content-type'));

function BodyChanges({ before, after }: ComparisonProps) {
  const [left, right] = useMemo(
    () => [before.response && parsed(before.response), after.response && parsed(after.response)],
    [before, after],
  );
  if (!left || !right) return <p class="faint">Can't compare: a response body was not stored.</p>;
  if (before.response?.body === after.response?.body) return <p class="faint">The bodies are the same.</p>;
  return <BodyDifferences left={left} right={right} />;
}
