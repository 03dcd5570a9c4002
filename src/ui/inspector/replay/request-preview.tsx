/* What a replay would send, as the server has prepared it. */

import type { ReplayDryRun } from '../../../features/replays/model.ts';
import { formatBytes } from '../../kit/format/time.ts';
import { headerText, visibleLine, visibleText } from '../../kit/format/visible.ts';
import { bytesOf, utf8Text } from '../body/bytes.ts';

const maxShownChars = 20_000;

export function RequestPreview({ request }: { request: ReplayDryRun }) {
  const { method, url, headers, body, bodyEncoding } = request;
  const bytes = bytesOf(body, bodyEncoding);
  const text = utf8Text(bytes);
  return (
    <section aria-labelledby="request-preview">
      <h3 id="request-preview" class="panel-title">
        The request, not sent yet
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
      <pre class="code" tabIndex={0}>
        {visibleLine(`${method} ${url}`)}
        {'\n'}
        {headers.map(([name, value]) => `${visibleLine(`${name}: ${headerText(value)}`)}\n`).join('')}
        {'\n'}
        {text === undefined
          ? `(${formatBytes(bytes.length)} of binary data)`
          : visibleText(text.slice(0, maxShownChars))}
        {text !== undefined && text.length > maxShownChars && '\n… truncated here; all of it is sent'}
      </pre>
    </section>
  );
}
