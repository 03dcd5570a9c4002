/* The answers of both destinations to one event, side by side. */

import type { ReplayJobAnswers } from '../../features/replay-jobs/model.ts';
import { bytesOf, utf8Text } from '../inspector/body/bytes.ts';
import { isJsonDocument, parseJson, prettyJson } from '../inspector/body/json.ts';
import { statusText } from '../inspector/replay/status-text.ts';
import { formatBytes } from '../kit/format/time.ts';
import { headerText, visibleLine, visibleText } from '../kit/format/visible.ts';

type Answer = NonNullable<ReplayJobAnswers['left']>;

export const Answers = ({ answers }: { answers: ReplayJobAnswers }) => (
  <div class="two">
    <Side label="Left" answer={answers.left} />
    <Side label="Right" answer={answers.right} />
  </div>
);

const Side = ({ label, answer }: { label: string; answer: Answer | null }) => (
  <section class="col" aria-label={`${label} answer`}>
    <h3>
      {label}: {answer ? statusText(answer.status) : 'no answer'}
    </h3>
    {answer && (
      <>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
        <pre class="code" tabIndex={0}>
          {answer.headers.map(([name, value]) => `${visibleLine(name)}: ${visibleLine(headerText(value))}`).join('\n')}
        </pre>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
        <pre class="code" tabIndex={0}>
          {bodyText(answer)}
        </pre>
      </>
    )}
  </section>
);

function bodyText({ body, bodyEncoding }: Answer): string {
  if (body === '') return '(no body)';
  const bytes = bytesOf(body, bodyEncoding);
  const text = utf8Text(bytes);
  if (text === undefined) return `(${formatBytes(bytes.length)} of binary data)`;
  const parsed = parseJson(text);
  return visibleText(isJsonDocument(parsed) ? prettyJson(parsed) : text);
}
