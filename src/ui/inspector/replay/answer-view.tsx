/* The kept answer of a replay: status line, headers, and the beginning of the body. */

import type { ReplayAttempt } from '../../../features/events/model.ts';
import { formatBytes } from '../../kit/format/time.ts';
import { headerText, visibleText } from '../../kit/format/visible.ts';
import { bytesOf, utf8Text } from '../body/bytes.ts';
import { isJsonDocument, parseJson, prettyJson } from '../body/json.ts';
import { PairTable } from '../body/pair-table.tsx';
import { resultLine } from './status-text.ts';

type Answer = NonNullable<ReplayAttempt['response']>;

/** As text, JSON indented; undefined for a binary body. */
function answerText({ body, bodyEncoding }: Answer): string | undefined {
  const text = utf8Text(bytesOf(body, bodyEncoding));
  if (text === undefined) return undefined;
  const parsed = parseJson(text);
  return isJsonDocument(parsed) ? prettyJson(parsed) : text;
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
